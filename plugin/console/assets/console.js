// The page works without this file. With it a form changes its part of the page
// in place, a diff opens where it stands, and news appear by themselves.
'use strict';
(() => {
  const live = () => document.getElementById('live');

  // What a screen reader is told; the region stands outside what is replaced.
  const tell = (text) => { document.getElementById('said').textContent = text; };

  // Puts the live part of a fetched page in the place of ours, and leaves open
  // what was open and focused what was focused. A page that was read again for
  // its news knows nothing of what the last form came to: that stays.
  const show = (html, stays) => {
    const next = new DOMParser().parseFromString(html, 'text/html').getElementById('live');
    if (!next || !live()) { location.reload(); return; }
    const focused = document.activeElement ? document.activeElement.id : '';
    for (const old of live().querySelectorAll('details[open][id]')) {
      const now = next.querySelector('#' + CSS.escape(old.id));
      if (!now) continue;
      now.open = true;
      if (now.matches('.lazy') && old.dataset.loaded) {
        now.replaceChildren(...old.cloneNode(true).childNodes);
        now.dataset.loaded = 'yes';
      }
    }
    if (stays) next.prepend(...live().querySelectorAll('[data-note]'));
    live().replaceWith(next);
    const again = focused && document.getElementById(focused);
    if (again) again.focus({ preventScroll: true });
    const note = next.querySelector('[data-note]');
    if (note && !stays) tell(note.textContent.trim());
  };

  const load = async (url, how) => {
    const answer = await fetch(url, { credentials: 'same-origin', ...how });
    return answer.text();
  };

  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!form.matches('form[data-inline]')) return;
    event.preventDefault();
    const button = event.submitter;
    if (button) {
      if (button.hasAttribute('aria-busy')) return;
      button.setAttribute('aria-busy', 'true');
      button.focus({ preventScroll: true });
    }
    load(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form, button)) }).then((html) => show(html, false), () => location.reload());
  });

  document.addEventListener('toggle', async (event) => {
    const box = event.target;
    if (!box.matches('details.lazy') || !box.open || box.dataset.loaded) return;
    box.dataset.loaded = 'yes';
    const page = new DOMParser().parseFromString(await load(box.dataset.src), 'text/html');
    const diff = page.querySelector('[data-diff]');
    if (diff) box.replaceChildren(box.querySelector('summary'), diff);
  }, true);

  // The note of what a form did is for the moment: a reload shall not tell it
  // again.
  const here = new URL(location.href);
  if (here.searchParams.has('note')) {
    here.searchParams.delete('note');
    history.replaceState(null, '', here);
  }

  if (!live()) return;
  const refresh = async () => show(await load(here.pathname + here.search), true);
  let news = null;
  const listen = () => {
    news = new EventSource('/events');
    for (const page of ['packs', 'records', 'plans']) {
      news.addEventListener(page, (event) => {
        const count = document.getElementById('waiting');
        count.textContent = event.data;
        count.hidden = event.data === '0';
        if (live().dataset.live === page) refresh();
      });
    }
  };
  // A browser has few connections to one server; a page that nobody sees gives
  // its own back.
  document.addEventListener('visibilitychange', () => {
    news.close();
    if (document.visibilityState !== 'visible') return;
    listen();
    refresh();
  });
  addEventListener('pagehide', () => news.close());
  listen();
})();
