import { isGuessable, isOwnName } from '@leitstand/contract/passwords'
import { dictionary } from '@zxcvbn-ts/language-common'

/** Passwords of leaked lists, the most frequent tens of thousands, in lower case. */
export const leaked: ReadonlySet<string> = new Set(dictionary['passwords-common'])
/** A leaked password that is shorter is a word like any other once something is put around it. */
const coreLengthMin = 6

/**
 * Whether a password is one of those that are tried first: it stands in a list of leaked ones, is made of what these are
 * made of, or of what is known of the person.
 * @param own user name, address, names, account
 */
export function isCommon(password: string, own: readonly string[] = []): boolean {
  const text = password.normalize('NFKC').toLowerCase()
  if (leaked.has(text) || isOwnName(password, own) || isGuessable(password, own)) return true
  const whole = text.replace(/^[^\p{L}\d]+|[^\p{L}\d]+$/gu, '')
  const core = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  return [whole, core].some((each) => each.length >= coreLengthMin && leaked.has(each))
}
