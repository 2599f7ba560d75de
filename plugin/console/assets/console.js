// The page works without this file. With it a form changes its part of the page
// in place, a diff opens where it stands, and news appear by themselves.
'use strict';
(() => {
  const live = () => document.getElementById('live');
  const link = document.getElementById('link');

  // What a screen reader is told; the region stands outside what is replaced.
  const tell = (text) => { document.getElementById('said').textContent = text; };
  const tellNote = (note) => tell(note.querySelector('p').textContent.trim());

  // While the page is cut off, and for a moment after it changed by itself, a press
  // means what stood there before: it does nothing.
  const calmTime = 800;
  let down = false;
  let calmUntil = 0;
  const lock = () => {
    const calm = performance.now() < calmUntil;
    for (const button of document.querySelectorAll('main form[method=post] button')) {
      const off = down || (calm && button.form.hasAttribute('data-calm'));
      if (off) button.setAttribute('aria-disabled', 'true'); else button.removeAttribute('aria-disabled');
    }
  };
  const calm = () => {
    calmUntil = performance.now() + calmTime;
    lock();
    setTimeout(lock, calmTime + 20);
  };

  // Puts the live part of a fetched page in the place of ours, and leaves open
  // what was open and focused what was focused. A page that was read again for
  // its news knows nothing of what the last form came to: that stays.
  const show = (next, stays) => {
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
    if (note && !stays) tellNote(note);
    calm();
  };

  // The plans: a card that is shown stays where it is, whatever comes. Where it
  // stands is told in its own place; what is new is announced, and put in when the
  // person says so.
  const bar = document.getElementById('fresh');
  const cards = (root) => [...root.querySelectorAll('article.plan')];
  const byId = (root, id) => root.querySelector('#' + CSS.escape(id));
  const dead = (card, why) => {
    const stand = card.querySelector('.stand');
    if (stand.dataset.dead) return;
    const text = document.createElement('p');
    text.textContent = live().dataset[why];
    stand.dataset.dead = why;
    stand.replaceChildren(...stand.querySelectorAll('[data-note]'), text);
    card.dataset.state = why;
  };
  const restand = (card, now) => {
    if (card.dataset.state === now.dataset.state) return;
    const kept = [...card.querySelectorAll('.stand [data-note]')];
    const stand = now.querySelector('.stand').cloneNode(true);
    stand.prepend(...kept);
    card.querySelector('.stand').replaceWith(stand);
    card.dataset.state = now.dataset.state;
  };
  const follow = (next) => {
    for (const card of cards(live())) {
      const now = byId(next, card.id);
      if (!now) dead(card, 'gone');
      else if (card.dataset.shown && now.dataset.shown && card.dataset.shown !== now.dataset.shown) dead(card, 'changed');
      else restand(card, now);
    }
    const fresh = cards(next).filter((a) => a.dataset.state === 'waiting' && !byId(live(), a.id));
    const over = document.getElementById('over');
    if (fresh.length && !live().querySelector('article.plan:not(.over)') && !(over && over.open)) {
      show(next, true); // nothing stands there that a press could be meant for
      bar.hidden = true;
      return;
    }
    const text = bar.dataset.text.replace('#', fresh.length);
    if (fresh.length && bar.textContent !== text) tell(text);
    bar.textContent = text;
    bar.hidden = fresh.length === 0;
  };
  if (bar) {
    bar.addEventListener('click', async () => {
      const next = await read(location.pathname + location.search);
      if (!next) return;
      const known = new Set(cards(live()).map((card) => card.id));
      show(next, false);
      bar.hidden = true;
      const first = cards(next).find((card) => !known.has(card.id));
      if (first) first.querySelector('h2').focus();
    });
  }
  // What came of an answer stands on its card.
  const answered = (next, card) => {
    const note = next.querySelector('[data-note]');
    if (note) {
      note.querySelector('form')?.remove(); // the card itself has it
      for (const old of card.querySelectorAll('.stand [data-note]')) old.remove();
    }
    const now = byId(next, card.id);
    if (now && now.dataset.shown && now.dataset.shown !== card.dataset.shown) {
      const fresh = now.cloneNode(true);
      card.replaceWith(fresh); // the person pressed for what is no more: they see what is
      card = fresh;
      calm();
    }
    follow(next);
    lock();
    if (!note) return;
    card.querySelector('.stand').prepend(note);
    note.focus({ preventScroll: true });
    tellNote(note);
  };

  const cutOff = (why) => {
    if (!link) { location.reload(); return; }
    down = true;
    link.textContent = link.dataset[why];
    link.hidden = false;
    tell(link.textContent);
    lock();
  };
  // Gives the live part of a page; null where there is none, which was told.
  const read = async (url, how) => {
    let answer;
    try {
      answer = await fetch(url, { credentials: 'same-origin', ...how });
      const text = await answer.text();
      if (answer.status === 401) { signedOut(); return null; }
      const next = new DOMParser().parseFromString(text, 'text/html').getElementById('live');
      if (!next) location.reload();
      return next;
    } catch {
      probe();
      return null;
    }
  };

  document.addEventListener('submit', async (event) => {
    const form = event.target;
    if (form.method !== 'post') return;
    if (down || (form.hasAttribute('data-calm') && performance.now() < calmUntil)) {
      event.preventDefault();
      tell(down ? link.textContent : link.dataset.calm);
      return;
    }
    if (!form.matches('form[data-inline]')) return;
    event.preventDefault();
    const button = event.submitter;
    if (button) {
      if (button.hasAttribute('aria-busy')) return;
      button.setAttribute('aria-busy', 'true');
      button.focus({ preventScroll: true });
    }
    const card = form.closest('article.plan');
    const next = await read(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form, button)) });
    if (button) button.removeAttribute('aria-busy');
    if (!next) return;
    if (card) answered(next, card);
    else show(next, false);
    if (!card) { calmUntil = 0; lock(); } // the person changed it themselves
  });

  document.addEventListener('toggle', async (event) => {
    const box = event.target;
    if (!box.matches('details.lazy') || !box.open || box.dataset.loaded) return;
    box.dataset.loaded = 'yes';
    try {
      const answer = await fetch(box.dataset.src, { credentials: 'same-origin' });
      const diff = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('[data-diff]');
      if (diff) box.replaceChildren(box.querySelector('summary'), diff);
    } catch {
      delete box.dataset.loaded;
      probe();
    }
  }, true);

  // The note of what a form did is for the moment: a reload shall not tell it
  // again.
  const here = new URL(location.href);
  if (here.searchParams.has('note')) {
    here.searchParams.delete('note');
    history.replaceState(null, '', here);
  }

  let news = null;
  let again = 0;
  const refresh = async () => {
    const next = await read(here.pathname + here.search);
    if (!next) return;
    if (bar) follow(next); else show(next, true);
  };
  const listen = () => {
    if (news) news.close();
    news = new EventSource('/events');
    for (const page of ['packs', 'records', 'plans']) {
      news.addEventListener(page, (event) => {
        const count = document.getElementById('waiting');
        count.textContent = event.data;
        count.hidden = event.data === '0';
        if (live().dataset.live === page) refresh();
      });
    }
    news.addEventListener('error', probe);
  };
  const signedOut = () => {
    if (news) news.close();
    cutOff('out');
  };
  // Finds out why nothing comes any more, and goes on when it can.
  const probe = async () => {
    if (news) news.close();
    clearTimeout(again);
    try {
      const answer = await fetch('/plans', { method: 'HEAD', credentials: 'same-origin', signal: AbortSignal.timeout(5000) });
      if (answer.status === 401) { signedOut(); return; }
      if (!answer.ok) throw new Error(answer.statusText);
    } catch {
      cutOff('lost');
      again = setTimeout(probe, 1500);
      return;
    }
    down = false;
    if (link) link.hidden = true;
    lock();
    if (!live() || document.visibilityState !== 'visible') return;
    listen();
    refresh();
  };
  if (!live()) return;
  // A browser has few connections to one server; a page that nobody sees gives
  // its own back.
  document.addEventListener('visibilitychange', () => {
    if (news) news.close();
    if (document.visibilityState === 'visible') probe();
  });
  addEventListener('pagehide', () => news && news.close());
  listen();
})();
