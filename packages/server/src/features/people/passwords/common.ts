import { isGuessable, isOwnName } from '@leitstand/contract/passwords'
import { dictionary } from '@zxcvbn-ts/language-common'

/** The tens of thousands most common leaked passwords, in lower case. */
export const leaked: ReadonlySet<string> = new Set(dictionary['passwords-common'])
/** Shorter leaked passwords are ignored inside a longer one. */
const coreLengthMin = 6

/**
 * Whether a password is easy to guess: it is in a list of leaked ones, is built from the same parts, or from
 * what is known about the user.
 * @param own user name, address, names, account
 */
export function isCommon(password: string, own: readonly string[] = []): boolean {
  const text = password.normalize('NFKC').toLowerCase()
  if (leaked.has(text) || isOwnName(password, own) || isGuessable(password, own)) return true
  const whole = text.replace(/^[^\p{L}\d]+|[^\p{L}\d]+$/gu, '')
  const core = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  return [whole, core].some((each) => each.length >= coreLengthMin && leaked.has(each))
}
