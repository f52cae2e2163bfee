// Runs before everything else. A file of its own because the content security policy forbids inline scripts.
;(() => {
  const stored = (storage, key) => {
    try {
      return window[storage].getItem(key)
    } catch {
      // Storage is closed to us (private mode): there is nothing stored.
      return null
    }
  }

  // Sets the colour scheme before the first paint, so that dark mode never flashes white.
  const wanted = stored('localStorage', 'leitstand.colorScheme')
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  const { mode, language: ofBrand } = document.documentElement.dataset
  const scheme = wanted === 'light' || wanted === 'dark' ? wanted : (mode ?? system)
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme)
  document.documentElement.style.background = scheme === 'dark' ? '#101315' : '#ffffff'

  // What each screen needs, filled in by the build (packages/web/build/firstFiles.ts); null while developing.
  const table = null
  if (table === null) return

  // Requests the files of the screen in the address, and its first data, while the browser still reads the console's code.
  const token = stored('localStorage', 'leitstand.token')
  const [path = '', search = ''] = location.hash.slice(1).split('?')
  const parts = path.split('/')
  const values = {}
  const fits = ({ path: pattern }) => {
    const wants = pattern.split('/')
    return wants.length === parts.length && wants.every((part, at) => part[0] === '$' || part === parts[at])
  }
  // Sorted by the build: addresses without parameters first.
  const found = table.screens.find(fits) ?? table.screens.find((screen) => screen.path === '/home')
  const screen =
    token === null && !found.isPublic ? table.screens.find(({ path }) => path === '/login') : found
  for (const [at, part] of screen.path.split('/').entries())
    if (part[0] === '$') values[part.slice(1)] = encodeURIComponent(parts[at])

  const languages = [
    new URLSearchParams(search).get('lang'),
    stored('sessionStorage', 'leitstand.language'),
    stored('localStorage', 'leitstand.language'),
    ofBrand,
    ...navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()),
  ]
  const language = languages.find((each) => each && Object.hasOwn(table.texts, each)) ?? 'de'
  const preload = (file, rel, as) => {
    const link = document.createElement('link')
    link.rel = rel
    if (as) link.as = as
    link.crossOrigin = ''
    link.href = file
    document.head.append(link)
  }
  for (const part of found.texts) preload(table.texts[language][part], 'modulepreload')
  for (const file of screen.files) preload(table.files[file], 'modulepreload')
  preload(table.font, 'preload', 'font')

  // `lib/asked.ts` hands these answers to the calls that need them.
  const answerMaxMs = 20_000
  const asked = new Map()
  // The rows per page that the user prefers, see `app/UserDefaultsApplier.tsx`.
  values.size = stored('localStorage', 'leitstand.pageSize') ?? '20'
  const ask = (call) => {
    // Not for words in place of a number, as in `/virtual-device-drivers/new`.
    if ((call.match(/\$\w+/g) ?? []).some((name) => !/^[1-9]\d*$/.test(values[name.slice(1)]))) return
    const url = `/api${call.replace(/\$(\w+)/g, (_, name) => values[name])}`
    const answer = fetch(url, {
      cache: 'no-store',
      signal: AbortSignal.timeout(answerMaxMs),
      headers: {
        'accept-language': language,
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      // Read at once: an answer that nobody reads keeps its connection.
    }).then(async (response) => new Response(await response.arrayBuffer(), response))
    // A failure is reported by the call that needs the answer.
    answer.catch(() => undefined)
    asked.set(url, answer)
  }
  ask(`/auth/verify?domain=${encodeURIComponent(location.hostname)}`)
  if (token !== null && !(screen.isList && search !== '')) for (const call of screen.asks) ask(call)
  window.leitstandAsked = { token, language, answers: asked }
})()
