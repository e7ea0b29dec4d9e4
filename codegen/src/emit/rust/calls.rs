//! Methods as calls: a marker type each, one trait a namespace that the daemon implements, and the way from a
//! method's name to the implementation and its reply.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::doc::{doc, linked, paragraphs};
use super::{type_name, value_name};
use crate::load::Runs;
use crate::lower::model::{Method, Model};

pub(super) fn markers(model: &Model) -> Vec<TokenStream> {
    let mut items = Vec::new();
    for method in &model.methods {
        let marker = type_name(&method.marker);
        let name = &method.name;
        let params = type_name(&method.params);
        let docs = doc(&format!("`{name}`: {}", method.description));
        items.push(quote!(#docs #[derive(Debug)] pub enum #marker {}));
        items.push(match &method.result {
            Some(result) => {
                let result = type_name(result);
                quote! {
                    impl Request for #marker {
                        const METHOD: &'static str = #name;
                        type Params = #params;
                        type Result = #result;
                    }
                }
            }
            None => quote! {
                impl Notification for #marker {
                    const METHOD: &'static str = #name;
                    type Params = #params;
                }
            },
        });
    }
    items
}

/// A way over all messages with their types, which a list of names is not.
pub(super) fn messages(model: &Model) -> Vec<TokenStream> {
    let visits = model.methods.iter().map(|method| {
        let marker = type_name(&method.marker);
        match method.result {
            Some(_) => quote!(messages.request::<#marker>();),
            None => quote!(messages.notification::<#marker>();),
        }
    });
    vec![
        quote! {
            /// Whoever does something with every kind of message.
            pub trait Messages {
                /// Meets a message that is answered.
                fn request<R: Request>(&mut self);

                /// Meets a message that is never answered.
                fn notification<N: Notification>(&mut self);
            }
        },
        quote! {
            /// Shows every kind of message, both ways, in the order of the spec's files.
            pub fn each_message(messages: &mut impl Messages) {
                #(#visits)*
            }
        },
    ]
}

pub(super) fn traits(model: &Model) -> Vec<TokenStream> {
    let mut items = vec![quote! {
        /// Whoever serves methods: what a call brings along, and how it fails.
        pub trait Server: Send + Sync {
            /// What a handler is told about the call beside its parameters: the connection, the principal.
            type Call: Send;
            /// What a handler fails with.
            type Error: From<Fault> + Send + 'static;
        }
    }];
    let names: Vec<Ident> = namespaces(model).iter().map(|namespace| trait_name(namespace)).collect();
    for (namespace, name) in namespaces(model).iter().zip(&names) {
        let methods = model.served().filter(|method| method.namespace == *namespace);
        let functions = methods.map(function);
        let docs = match *namespace {
            "core" => doc("The methods that have no namespace."),
            namespace => doc(&format!("The methods `{namespace}/*`.")),
        };
        items.push(quote!(#docs pub trait #name: Server { #(#functions)* }));
    }
    items.push(quote! {
        /// Whoever serves every method.
        pub trait Methods: #(#names)+* {}
    });
    items.push(quote!(impl<T: #(#names)+*> Methods for T {}));
    items
}

fn function(method: &Method) -> TokenStream {
    let name = value_name(&method.function);
    let params = type_name(&method.params);
    let result = result(method);
    let errors = &method.errors[..method.own_errors];
    let errors = match errors {
        [] => "Only those common to all methods.".to_owned(),
        errors => {
            let errors: Vec<String> = errors.iter().map(|error| format!("[`ErrorCode::{error}`]")).collect();
            format!("{}, and those common to all methods.", errors.join(", "))
        }
    };
    let errors = linked(&errors);
    let (phases, output) = match method.runs {
        Runs::InOrder => ("", quote!(#result)),
        Runs::Long => (
            "Long: this future admits the call, in the order of arrival; the one it gives ends with the result.",
            quote!(Long<#result, Self::Error>),
        ),
    };
    let docs = paragraphs(&[&format!("`{}`: {}", method.name, method.description), phases]);
    let by_spec = ["new", "from_", "into_"].iter().any(|word| method.function.starts_with(word));
    let convention = by_spec.then(|| {
        quote!(#[allow(clippy::wrong_self_convention, reason = "it is what the protocol calls the method")])
    });
    quote! {
        #docs
        ///
        /// # Errors
        #errors
        #convention
        fn #name(
            &self,
            call: Self::Call,
            params: #params,
        ) -> impl Future<Output = Result<#output, Self::Error>> + Send;
    }
}

pub(super) fn dispatch(model: &Model) -> Vec<TokenStream> {
    let served: Vec<&Method> = model.served().collect();
    let variants: Vec<_> = served.iter().map(|method| type_name(&method.marker)).collect();
    let results: Vec<_> = served.iter().map(|method| result(method)).collect();
    let docs = served.iter().map(|method| doc(&format!("Of `{}`.", method.name)));
    let arms = served.iter().zip(&variants).map(|(method, variant)| {
        let (namespace, function) = (trait_name(&method.namespace), value_name(&method.function));
        let call = quote!(#namespace::#function(methods, call, params.decode()?).await?);
        match method.runs {
            Runs::InOrder => quote! {
                Method::#variant => {
                    let result = #call;
                    Answer::Now(Reply::#variant(result))
                }
            },
            Runs::Long => quote! {
                Method::#variant => {
                    let rest = #call;
                    Answer::Later(Box::pin(async move { rest.await.map(Reply::#variant) }))
                }
            },
        }
    });
    vec![
        quote! {
            /// The result of a call.
            #[derive(Debug, Clone, PartialEq)]
            #[allow(clippy::large_enum_variant, reason = "a reply lives only until it is written")]
            pub enum Reply { #(#docs #variants(#results)),* }
        },
        quote! {
            impl Encode for Reply {
                fn encode(&self, out: &mut Writer) {
                    match self { #(Self::#variants(result) => result.encode(out)),* }
                }
            }
        },
        quote! {
            /// What comes of a call that was admitted.
            #[allow(clippy::large_enum_variant, reason = "an answer lives only until it is written or spawned")]
            pub enum Answer<E> {
                /// It has succeeded.
                Now(Reply),
                /// It goes on beside the calls after it (OR-04).
                Later(Pin<Box<dyn Future<Output = Result<Reply, E>> + Send>>),
            }
        },
        quote! {
            /// Decodes the parameters, calls the handler, and wraps its result.
            ///
            /// # Errors
            /// Parameters that do not fit, or what the handler fails with.
            pub async fn dispatch<M: Methods>(
                methods: &M,
                method: Method,
                call: M::Call,
                params: Params<'_>,
            ) -> Result<Answer<M::Error>, M::Error> {
                Ok(match method { #(#arms)* })
            }
        },
    ]
}

fn result(method: &Method) -> Ident {
    type_name(method.result.as_deref().expect("a request that is served has a result"))
}

/// The namespaces in which methods are served, each once, in the order of their methods.
fn namespaces(model: &Model) -> Vec<&str> {
    let mut namespaces: Vec<&str> = Vec::new();
    for method in model.served() {
        if !namespaces.contains(&method.namespace.as_str()) {
            namespaces.push(&method.namespace);
        }
    }
    namespaces
}

fn trait_name(namespace: &str) -> Ident {
    format_ident!("{}Methods", type_name(namespace))
}
