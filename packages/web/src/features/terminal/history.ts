/** Lines that were run, kept until the browser session ends. */
const key = 'leitstand.terminal'
const max = 100

/** Oldest first. */
export function readHistory(storage: Pick<Storage, 'getItem'>): string[] {
  const text = storage.getItem(key)
  return text === null ? [] : text.split('\n')
}

/** The history with a line at its end, once. @returns what is stored */
export function remember(storage: Storage, line: string): string[] {
  const history = [...readHistory(storage).filter((each) => each !== line), line].slice(-max)
  storage.setItem(key, history.join('\n'))
  return history
}
