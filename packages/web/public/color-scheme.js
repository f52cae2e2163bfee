// Sets the colour scheme before the first paint, so that dark mode never flashes white.
// A file of its own because the content security policy forbids inline scripts.
;(() => {
  const stored = () => {
    try {
      return localStorage.getItem('leitstand.colorScheme')
    } catch {
      // Storage is closed to us (private mode): the system decides.
      return null
    }
  }
  const wanted = stored()
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  const scheme = wanted === 'light' || wanted === 'dark' ? wanted : system
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme)
  document.documentElement.style.background = scheme === 'dark' ? '#101315' : '#ffffff'
})()
