// Reloads the page when the data changed, unless somebody types.
const state = document.currentScript.dataset.state;
setInterval(async () => {
	const at = document.activeElement;
	if (document.hidden || (at && at.tagName === 'INPUT')) return;
	try {
		const r = await fetch(location.href, {method: 'HEAD', cache: 'no-store'});
		const now = r.headers.get('Data-State');
		if (r.ok && now && now !== state) location.reload();
	} catch (e) {
		// the server is away; try again later
	}
}, 30000);
