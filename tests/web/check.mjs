// Every page in a browser: "ok NAME" or "not ok NAME" and why. Usage: check.mjs ADDRESS CHROMIUM CLOCK PICTURES
// CLOCK is the link with the time of the server (tests/support/machine.c).
import AxeBuilder from "@axe-core/playwright";
import { HtmlValidate } from "html-validate";
import lighthouse from "lighthouse";
import { chromium } from "playwright-core";
import { renameSync, symlinkSync } from "node:fs";

const [address, executablePath, clock, pictures] = process.argv.slice(2);
const pages = ["/", "/cost", "/tpus", "/grants", "/activity", "/sources", "/views", "/resources",
	"/costs", "/why?of=burn", "/why?of=tpu-wrong", "/nope", "/resources?where=nope"];
const widths = [1280, 390, 320];

function check(name, problems) {
	console.log(`${problems.length ? "not ok" : "ok"} ${name}`);
	for (const p of problems.slice(0, 10)) console.log(`    ${p}`);
}

const validator = new HtmlValidate({ root: true, extends: ["html-validate:recommended"], rules: {} });
const args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
const browser = await chromium.launch({ executablePath, args });

async function look(path, width, colorScheme) {
	const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
	const page = await context.newPage();
	const said = [];
	page.on("console", (m) => said.push(`console: ${m.text()}`));
	page.on("pageerror", (e) => said.push(`error: ${e.message}`));
	page.on("request", (r) => {
		if (!r.url().startsWith(address) && !r.url().startsWith("data:")) said.push(`asks for ${r.url()}`);
	});
	const answer = await page.goto(address + path);
	const name = `${path}: ${width} ${colorScheme}`;
	// the status of a page that reports an error is told to the console, too
	check(`${name}: console`, said.filter((s) => answer.status() === 200 || !s.includes(`${answer.status()}`)));
	const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
	check(`${name}: fits`, wide > 0 ? [`${wide} pixels too wide`] : []);
	const axe = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]).analyze();
	check(`${name}: axe`, axe.violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 2).map((n) => n.html).join(" ")}`));
	await page.keyboard.press("Tab");
	check(`${name}: first is the link to the content`, (await page.evaluate(() => document.activeElement.className)) === "skip" ? [] : ["it is not"]);
	if (pictures) await page.screenshot({ path: `${pictures}/${path.replace(/\W+/g, "-")}-${width}-${colorScheme}.png`, fullPage: true });
	await context.close();
}

for (const path of pages) {
	const text = await (await fetch(address + path)).text();
	const report = await validator.validateString(text);
	check(`${path}: HTML`, report.results.flatMap((r) => r.messages).map((m) => `${m.line}:${m.column} ${m.ruleId}: ${m.message}`));
	// all at once: a page mostly waits
	await Promise.all(["light", "dark"].flatMap((scheme) => widths.map((width) => look(path, width, scheme))));
}

// The speed is printed only: it depends on the machine.
const port = 20000 + (process.pid % 20000);
const lit = await chromium.launch({ executablePath, args: [...args, `--remote-debugging-port=${port}`] });
for (const path of pages.slice(0, 6)) {
	const { lhr } = await lighthouse(address + path, { port, logLevel: "silent", onlyCategories: ["accessibility", "performance"] });
	const { accessibility, performance } = lhr.categories;
	check(`${path}: Lighthouse: accessibility ${accessibility.score * 100}`, accessibility.score === 1 ? [] : ["it is not 100"]);
	console.log(`    performance of ${path}: ${performance.score * 100}`);
}
await lit.close();

// A reader without scripts sees the same; a cached page keeps its styles and scripts.
const bare = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
await bare.goto(address + "/");
check("without scripts", (await bare.locator("h1").textContent()) === "Now" ? [] : ["no heading"]);
const twice = await (await browser.newContext()).newPage();
const said = [];
twice.on("console", (m) => said.push(m.text()));
await twice.goto(address + "/tpus");
await twice.goto(address + "/");
await twice.goBack();
await twice.reload();
check("a page that is revalidated", said);
check("its style is in effect", (await twice.evaluate(() => getComputedStyle(document.querySelector("main")).maxWidth)) === "1124px" ? [] : ["it is not"]);

// A form and a heading work by keyboard alone.
await twice.fill("input[name=where]", "covered = 0");
await twice.press("input[name=where]", "Enter");
await twice.waitForLoadState();
check("a condition", twice.url().includes("where=covered") && (await twice.locator("tbody tr").first().textContent()).includes("tpu-wrong") ? [] : [twice.url()]);

// An open page follows the server without a reload: what the user opened or typed is kept.
const open = await (await browser.newContext()).newPage();
const line = open.locator(".old");
// waits in this process: the page has a clock of its own
const becomes = async (locator, want) => {
	for (let i = 0; i < 1000 && !want(await locator.textContent()); i++) await new Promise((r) => setTimeout(r, 50));
	return want(await locator.textContent()) ? [] : [`it is "${await locator.textContent()}"`];
};
const lineIs = async (name, text) => {
	await open.clock.runFor(60000);
	check(name, await becomes(line, (t) => t === text));
};
await open.clock.install();
await open.goto(address + "/tpus");
const made = await open.locator("head script").getAttribute("data-time");
await open.locator("summary").last().click();
await open.evaluate(() => { window.sameDocument = true; });
symlinkSync("1795006800", `${clock}.later`); // 3 hours
renameSync(`${clock}.later`, clock);
await open.fill("input[name=where]", "covered = 0");
await lineIs("new text in a field", `These figures are of ${made}; text in a field is not sent yet.`);
check("is kept", (await open.inputValue("input[name=where]")) === "covered = 0" ? [] : ["it is not"]);
await open.fill("input[name=where]", "");
await open.locator("summary").last().focus();
await lineIs("without it", "");
check("the page says that its data became old", await becomes(open.locator("main"), (t) => t.includes("the inventory is 3h old")));
check("without a reload", (await open.evaluate(() => window.sameDocument)) ? [] : ["it was reloaded"]);
check("with what was opened", (await open.locator("details").last().getAttribute("open")) === "" ? [] : ["it was closed"]);
check("and what has the focus", (await open.evaluate(() => document.activeElement.nodeName)) === "SUMMARY" ? [] : ["it has not"]);
await open.context().setOffline(true);
const old = `No new figures from the server; these are of ${await open.evaluate(() => time)}.`;
await lineIs("the server is unreachable", old);
const seen = await new AxeBuilder({ page: open }).analyze();
check("the line is accessible", seen.violations.map((v) => `${v.id}: ${v.help}`));
await open.context().setOffline(false);
await lineIs("it is back", "");
await open.route("**/tpus", (r) => r.fulfill({ status: 502, body: "<main>502 Bad Gateway</main>" }));
await lineIs("only the proxy answers", old);
await open.unroute("**/tpus");
await lineIs("it is back again", "");
const html = await open.evaluate(() => fetch(location.href).then((r) => r.text()));
await open.route("**/tpus", (r) => r.fulfill({ status: 503, body: html.replace(/<main[^]*<\/main>/, "<main>No answer</main>") }));
await lineIs("the server reports an error", old);
check("the figures stay", (await open.locator("main table").count()) ? [] : ["they are gone"]);
await open.unroute("**/tpus");
await lineIs("it has new figures again", "");

// It finds what is wrong: else the checks above say nothing.
await twice.evaluate(() => { document.querySelector("main").innerHTML += "<img src=x><p style='color:#eee;background:#fff'>pale</p>"; });
const broken = (await new AxeBuilder({ page: twice }).analyze()).violations.map((v) => v.id);
check("what is wrong is found", broken.includes("image-alt") ? [] : broken);
check("and inline styles are refused", said.some((s) => /style/i.test(s)) ? [] : ["they are not"]);
await browser.close();
