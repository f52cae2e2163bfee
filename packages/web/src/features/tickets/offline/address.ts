/** Pure. What an address of the console asks for: a report, and where. @param hash `#/fm-add-ticket?twin=7` */
export function addressOf(hash: string): { isReport: boolean; twinId: number | null } {
  const [path = '', search = ''] = hash.replace(/^#/, '').split('?')
  const twin = new URLSearchParams(search).get('twin') ?? ''
  return {
    isReport: path === '/fm-add-ticket',
    twinId: /^[1-9]\d{0,14}$/.test(twin) ? Number(twin) : null,
  }
}
