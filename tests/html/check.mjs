// Each file named on the command line is valid HTML: "ok NAME" or "not ok NAME" and why.
// "mail" in its name: what mail clients need is allowed there and nothing else.
import fs from "node:fs";
import path from "node:path";
import { HtmlValidate } from "html-validate";

const mailRules = {
	// Many clients drop style sheets: there every element carries its style.
	"no-inline-style": "off",
	// Outlook for Windows lays out with Word, which goes by width, height, align, valign,
	// border, cellpadding and cellspacing and not by their CSS.
	"no-deprecated-attr": "off",
};

const validator = (rules) =>
	new HtmlValidate({ root: true, extends: ["html-validate:recommended"], rules });
const file = validator({});
const mail = validator(mailRules);

for (const name of process.argv.slice(2)) {
	const base = path.basename(name);
	const text = fs.readFileSync(name, "utf8");
	const report = await (base.includes("mail") ? mail : file).validateString(text);
	const messages = report.results.flatMap((r) => r.messages);
	console.log(`${messages.length ? "not ok" : "ok"} ${base}`);
	for (const m of messages.slice(0, 20))
		console.log(`    ${m.line}:${m.column} ${m.ruleId}: ${m.message}`);
}

// It finds what is wrong: else the checks above say nothing.
const broken = await file.validateString('<!DOCTYPE html><p style="x"><td>', "broken.html");
const found = new Set(broken.results.flatMap((r) => r.messages.map((m) => m.ruleId)));
console.log(`${found.has("no-inline-style") && found.size > 1 ? "ok" : "not ok"} broken`);
