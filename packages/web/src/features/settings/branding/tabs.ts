const ofDefaults = ['defaultMode', 'defaultLanguage', 'sidebarIconLink', 'grafanaUrl']
const ofPage = ['pages', 'showFooter', 'showVersion', 'publicManual']

/** Pure. The tab with a field of the form, and the language of its page, as they are in the address. */
export function tabOfField(field: string): { tab: string | undefined; language?: string | undefined } {
  const [first = '', language] = field.split('.')
  // The first tab has no name in the address.
  if (ofDefaults.includes(first)) return { tab: undefined }
  if (!ofPage.includes(first)) return { tab: 'theme' }
  return first === 'pages' ? { tab: 'page', language: language === 'en' ? 'en' : undefined } : { tab: 'page' }
}
