// Holds the exports against JavaScript's tools: the OpenRPC document against OpenRPC's own meta-schema, and the bundle
// against ajv in strict mode, which refuses keywords and formats that it does not know.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const Ajv = require("ajv");
const Ajv2020 = require("ajv/dist/2020");
const { default: jsonSchema } = require("@json-schema-tools/meta-schema");
const { default: openrpcSchema } = require("@open-rpc/meta-schema");

const read = (name) => JSON.parse(readFileSync(`${process.argv[2]}/${name}`, "utf8"));

// The meta-schema names the schema of JSON Schema with and without the slash that is in its id; ajv wants one of them.
const oneName = (schema) => JSON.parse(JSON.stringify(schema).replaceAll('.tools"', '.tools/"'));
const draft7 = new Ajv({ strict: false, validateFormats: false });
draft7.addSchema(jsonSchema, jsonSchema.$id);
const isOpenrpc = draft7.compile(oneName(openrpcSchema));
const openrpc = read("zeroclaw.openrpc.json");
if (!isOpenrpc(openrpc)) {
    console.error(isOpenrpc.errors);
    process.exit(1);
}
if (isOpenrpc({ ...openrpc, methods: [{ name: "no params" }] })) {
    console.error("the meta-schema takes a method without params: it checks nothing");
    process.exit(1);
}
console.log(`openrpc: ${openrpc.methods.length} methods fit the meta-schema of OpenRPC`);

const bundle = read("zeroclaw.schema.json");
const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
ajv.compile(bundle);
const isChunk = ajv.compile({ ...bundle.$defs.AgentMessageChunk, $defs: bundle.$defs });
const chunk = { sessionId: "s1", type: "agent_message_chunk", text: "one" };
if (!isChunk(chunk) || isChunk({ ...chunk, text: 1 })) {
    console.error("the bundle does not tell a right update from a wrong one");
    process.exit(1);
}
console.log(`ajv: the bundle of ${Object.keys(bundle.$defs).length} definitions compiles in strict mode`);
