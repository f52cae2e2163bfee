/** As `StateKey` of the contract, which would bring its library along. */
export function isStateKey(text: string): boolean {
  return /^[A-Za-z0-9_.]{1,100}$/.test(text)
}
