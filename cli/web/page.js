// Shows new figures once a minute, in the same page: what the user opened, scrolled or selected stays so. A line reports
// when they are not new: the server does not answer, or text in a field would be lost.
const own = document.currentScript;
let time = own.dataset.time;
const line = document.createElement('p');
line.className = 'old';
line.setAttribute('role', 'status');
document.body.append(line);

// Style and script, which another version of the program may have changed.
const files = (page) => [...page.querySelectorAll('head [nonce]')].map((e) => e.src || e.href).join();
const typing = () => [...document.querySelectorAll('input')].some(
	(e) => e === document.activeElement || e.value !== e.defaultValue);

// Makes `old` like `now`, and replaces only nodes that differ.
function merge(old, now) {
	if (now.nodeName === 'DETAILS') now.open = old.open;
	if (!old.cloneNode().isEqualNode(now.cloneNode())) return old.replaceWith(now);
	while (old.childNodes.length > now.childNodes.length) old.lastChild.remove();
	[...now.childNodes].forEach((child, i) => {
		if (old.childNodes[i]) merge(old.childNodes[i], child);
		else old.append(child);
	});
}

async function update() {
	if (document.hidden) return;
	try {
		const answer = await fetch(location.href, {signal: AbortSignal.timeout(30000)});
		const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
		if (answer.status >= 500 || !files(page)) throw new Error('no figures');
		if (typing()) {
			line.textContent = `These figures are of ${time}; text in a field is not sent yet.`;
			return;
		}
		if (files(page) !== files(document)) return location.reload();
		time = page.querySelector('head script').dataset.time;
		line.textContent = '';
		document.title = page.title;
		merge(document.querySelector('main'), page.querySelector('main'));
	} catch (e) {
		line.textContent = `No new figures from the server; these are of ${time}.`;
	}
}
setInterval(update, 60000);
document.addEventListener('visibilitychange', update);
