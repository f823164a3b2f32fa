// Keeps the page up to date: the server sends the parts whose HTML has changed. Without this script the page loads
// itself every few seconds.
(() => {
  'use strict';

  const body = document.body;
  const live = document.getElementById('live');
  const RETRY_MILLIS = 15000;
  let source = null;
  let lastWord = null;

  function say(on, text) {
    live.className = on ? 'live on' : 'live off';
    // Said aloud to those who cannot see, so only when it is news.
    if (live.textContent !== text) {
      live.textContent = text;
    }
  }

  // Makes `from` like `to` and touches nothing that is equal already, so that focus, selection, scrolling and opened
  // details stay as they are.
  function morph(from, to) {
    if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName) {
      from.replaceWith(to);
      return;
    }
    if (from.nodeType !== Node.ELEMENT_NODE) {
      if (from.nodeValue !== to.nodeValue) {
        from.nodeValue = to.nodeValue;
      }
      return;
    }
    for (const name of from.getAttributeNames()) {
      const ours = from.nodeName === 'DETAILS' && name === 'open';
      if (!to.hasAttribute(name) && !ours) {
        from.removeAttribute(name);
      }
    }
    for (const name of to.getAttributeNames()) {
      if (from.getAttribute(name) !== to.getAttribute(name)) {
        from.setAttribute(name, to.getAttribute(name));
      }
    }
    if (from.nodeName === 'TIME' && from.dataset.age !== undefined) {
      age(from);
      return;
    }
    morphChildren(from, to);
  }

  function morphChildren(from, to) {
    const named = new Map();
    for (const child of from.children) {
      if (child.id) {
        named.set(child.id, child);
      }
    }
    let place = from.firstChild;
    for (const wanted of [...to.childNodes]) {
      const known = wanted.id ? named.get(wanted.id) : null;
      if (known) {
        named.delete(wanted.id);
        if (known !== place) {
          from.insertBefore(known, place);
        } else {
          place = place.nextSibling;
        }
        const before = state(known);
        morph(known, wanted);
        if (before !== state(known)) {
          known.classList.add('changed');
        }
      } else if (place && !place.id && !wanted.id && place.nodeName === wanted.nodeName) {
        const next = place.nextSibling;
        morph(place, wanted);
        place = next;
      } else {
        from.insertBefore(wanted, place);
      }
    }
    while (place) {
      const next = place.nextSibling;
      place.remove();
      place = next;
    }
  }

  function state(row) {
    const badge = row.nodeName === 'TR' ? row.querySelector('.badge') : null;
    return badge ? badge.textContent : '';
  }

  // How long ago, in the reader's time; the server's own words stay in the title.
  function age(element) {
    const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(element.dateTime)) / 1000));
    const text = seconds < 60 ? seconds + ' s'
        : seconds < 3600 ? Math.floor(seconds / 60) + ' min'
        : seconds < 86400 ? Math.floor(seconds / 3600) + ' h ' + Math.floor(seconds / 60) % 60 + ' min'
        : Math.floor(seconds / 86400) + ' d';
    if (element.textContent !== text + ' ago') {
      element.textContent = text + ' ago';
    }
  }

  // Shows only the jobs that have all the words in them.
  function filter() {
    const field = document.getElementById('filter');
    if (field) {
      const words = field.value.toLowerCase().split(/\s+/);
      document.querySelectorAll('#jobs tbody tr').forEach((row) => {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      });
    }
  }

  function ages() {
    document.querySelectorAll('time[data-age]').forEach(age);
  }

  function take(event) {
    const message = JSON.parse(event.data);
    const old = document.getElementById(message.part);
    const fresh = new DOMParser().parseFromString(message.html, 'text/html').getElementById(message.part);
    if (old && fresh) {
      morph(old, fresh);
      ages();
      filter();
    }
    heard();
  }

  function heard() {
    lastWord = new Date();
    say(true, 'live');
  }

  // A new cookie, or another version of the page, has to be asked for; what the browser does not tell.
  async function ask() {
    try {
      const answer = await fetch(location.href, {method: 'HEAD', cache: 'no-store'});
      if (answer.status === 401) {
        say(false, 'the head was started anew: open the link that "spillway web" prints');
        return;
      }
      say(false, answer.ok ? 'not live: too many pages are open' : 'the head does not answer');
    } catch (unreachable) {
      say(false, 'no word from the head' + (lastWord ? ' since ' + lastWord.toISOString().slice(11, 19) + 'Z' : ''));
    }
    setTimeout(open, RETRY_MILLIS);
  }

  function open() {
    close();
    if (document.hidden) {
      return;
    }
    source = new EventSource(body.dataset.events);
    source.addEventListener('hello', (event) => {
      if (JSON.parse(event.data).version !== body.dataset.version) {
        location.reload();
        return;
      }
      heard();
    });
    source.addEventListener('part', take);
    source.onerror = () => {
      if (source && source.readyState === EventSource.CLOSED) {
        close();
        ask();
      } else {
        say(false, 'no word from the head' + (lastWord ? ' since ' + lastWord.toISOString().slice(11, 19) + 'Z' : ''));
      }
    };
  }

  function close() {
    if (source) {
      source.close();
      source = null;
    }
  }

  // A browser opens six connections to one server: pages that nobody looks at give theirs back.
  document.addEventListener('visibilitychange', () => document.hidden ? close() : open());
  window.addEventListener('pagehide', close);
  document.addEventListener('input', filter);
  document.documentElement.classList.add('scripted');
  setInterval(ages, 1000);
  ages();
  filter();
  open();
})();
