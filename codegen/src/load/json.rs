//! JSON text to a value in which members keep their order, refusing what a reader would silently lose:
//! a member written twice.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::problem::{Place, Problems};

/// The value that `text` holds, or `None` with the reason among `problems`.
pub(super) fn parse(place: &Place, text: &str, problems: &mut Problems) -> Option<Value> {
    let mut repeated = Vec::new();
    let mut source = serde_json::Deserializer::from_str(text);
    let value = Seed { place: place.clone(), repeated: &mut repeated }
        .deserialize(&mut source)
        .and_then(|value| source.end().map(|()| value));
    for place in repeated {
        problems.add(&place, "this member is written twice", "keep one of them");
    }
    match value {
        Ok(value) => Some(value),
        Err(error) => {
            problems.add(place, format!("is not JSON: {error}"), "write one JSON value, in UTF-8");
            None
        }
    }
}

struct Seed<'r> {
    place: Place,
    repeated: &'r mut Vec<Place>,
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) =
            items.next_element_seed(Seed { place: self.place.child(list.len()), repeated: self.repeated })?
        {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let place = self.place.child(&name);
            let value = members.next_value_seed(Seed { place: place.clone(), repeated: self.repeated })?;
            if object.insert(name, value).is_some() {
                self.repeated.push(place);
            }
        }
        Ok(Value::Object(object))
    }
}
