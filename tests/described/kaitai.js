// The values of Kaitai's own parser: node kaitai.js FILE.ksy LINES.ndjson reads the `hex` of each line, and prints lines
// with `hex` and `values`. Exit status 77: a package is missing.
const fs = require("fs"), path = require("path");
let compiler, KaitaiStream, yaml;
try {
    compiler = require("kaitai-struct-compiler");
    KaitaiStream = require("kaitai-struct/KaitaiStream");
    yaml = require("js-yaml");
} catch {
    process.exit(77);
}
const [ksy, lines] = process.argv.slice(2);
const load = (file) => yaml.load(fs.readFileSync(file, "utf8"), { schema: yaml.CORE_SCHEMA });
const importer = { importYaml: async (name) => load(path.join(path.dirname(ksy), `${name}.ksy`)) };
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

// Fields, and the instances that netkit shows.
function values(value, shown) {
    if (value instanceof Uint8Array) return `hex:${Buffer.from(value).toString("hex")}`;
    if (Array.isArray(value)) return value.map((one) => values(one, shown));
    if (value === null || typeof value !== "object") return value;
    const all = {};
    const names = Object.keys(value).concat(Object.getOwnPropertyNames(Object.getPrototypeOf(value)));
    for (const name of names.filter((name) => !name.startsWith("_") && name !== "constructor")) {
        const own = Object.keys(value).includes(name);
        if ((own || shown.includes(snake(name))) && value[name] !== undefined) {
            all[snake(name)] = values(value[name], shown);
        }
    }
    return all;
}

compiler.compile("javascript", load(ksy), importer, false).then((files) => {
    const modules = {};
    const find = (name) => (name.endsWith("KaitaiStream") ? KaitaiStream : modules[path.basename(name)]);
    for (const name of Object.keys(files)) modules[path.basename(name, ".js")] = {};
    for (const [name, text] of Object.entries(files)) {
        const exports = modules[path.basename(name, ".js")];
        new Function("require", "module", "exports", text)(find, { exports }, exports);
    }
    const Game = modules.Game.Game;
    for (const line of fs.readFileSync(lines, "utf8").trim().split("\n")) {
        const { hex } = JSON.parse(line);
        const game = new Game(new KaitaiStream(new Uint8Array(Buffer.from(hex, "hex")).buffer));
        console.log(JSON.stringify({ hex, values: values(game, ["flags_of", "urgent", "value"]) }));
    }
}).catch((why) => {
    console.error(why);
    process.exit(1);
});
