/**
 * Building blocks of commonly guessed passwords: words from leaked lists in both languages, keyboard rows,
 * numbers and repetitions. This covers `Passw0rt123!`, `qwertz2024`, `schatzschatz` and their variants
 * without a list of thousands of passwords.
 */
const words = new Set(
  `
  password passwort passwd pass kennwort geheim secret hallo hello welcome willkommen login admin administrator root
  master user guest gast test tester testing demo default changeme letmein access zugang start system server computer
  internet office windows google facebook samsung apple microsoft default temp initial sesam sesame hacker matrix
  love liebe lieber liebling schatz schatzi schatzii mausi maus engel angel baby honey sweet sweetheart darling sunshine
  sonne sonnenschein princess prinzessin prinz prince queen king koenig lovely iloveyou ichliebedich loveme lover
  forever family familie mama papa mutter vater mother father daddy mommy bruder schwester freunde friend friends
  football fussball baseball basketball soccer hockey tennis golfer golf rugby cricket bayern dortmund schalke borussia
  werder hertha arsenal chelsea liverpool barcelona juventus ferrari porsche mercedes audi bmw volkswagen mustang
  harley yamaha corvette camaro superman batman spiderman starwars pokemon naruto pikachu minecraft fortnite ninja
  dragon drache monkey affe tiger lion loewe panther eagle adler falcon shark dolphin delfin butterfly schmetterling
  horse pferd pony hund katze kitty puppy doggy chicken banana apfel orange cherry cookie chocolate schokolade cheese
  pepper ginger flower blume blumen rose lilie summer sommer winter spring herbst autumn freedom freiheit peace frieden
  shadow hunter killer warrior soldier ranger fighter thunder donner blitz phoenix diamond diamant crystal silver gold
  golden purple yellow orange black schwarz white weiss green gruen blue blau red rot rainbow regenbogen heaven himmel
  hell hoelle jesus christ gott heaven trustno one two three four five six seven eight nine zero eins zwei drei vier
  michael thomas andreas stefan stephan daniel christian alexander sebastian martin peter robert richard charlie
  charles william jennifer jessica michelle nicole melanie sabrina sandra claudia andrea christina katharina julia anna
  laura lisa sarah maria ashley amanda jordan hannah emma sophia matthew joshua anthony andrew jonathan nicholas
  hamburg berlin muenchen munich frankfurt koeln cologne deutschland germany london england paris america canada
  january february march april august september october november december januar februar juni juli oktober dezember
  monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag
  qwerty qwertz asdf yxcv zxcv pussy fuckyou fuck fuckme asshole bitch sexy arschloch scheisse whatever nothing
  something superstar super star rockstar music musik guitar gitarre dance party happy lucky smile cool awesome player
  gamer champion winner number nummer security sicherheit leitstand platform plattform
  me you my is the no it i u`
    .split(/\s+/)
    .filter(Boolean),
)

/** Adjacent keys and other well-known sequences; each also counts backwards. */
const rows = [
  ...[
    'abcdefghijklmnopqrstuvwxyz',
    '01234567890',
    'qwertyuiop',
    'qwertzuiop',
    'asdfghjkl',
    'zxcvbnm',
    'yxcvbnm',
  ],
  ...['1q2w3e4r5t6y7u8i9o0p', '1q2w3e4r5t6z7u8i9o0p', 'q1w2e3r4t5y6u7i8o9p0', 'q1w2e3r4t5z6u7i8o9p0'],
  ...[
    '1qaz2wsx3edc4rfv5tgb',
    '1qay2wsx3edc4rfv5tgb',
    'qazwsxedcrfvtgb',
    'qaywsxedcrfvtgb',
    '147258369',
    '963852741',
  ],
  ...['!@#$%^&*()', '!"§$%&/()='],
].flatMap((row) => [row, [...row].reverse().join('')])

const runLengthMin = 3
/** Shorter passwords of digits only can be tried exhaustively. */
const digitsMin = 16
/** Shorter words of the user occur in passwords by chance. */
const ownLengthMin = 4

const replaced: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'l',
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
}

/**
 * Whether a password consists only of commonly guessed parts.
 * @param own known data of the user: user name, address, names, account
 */
export function isGuessable(password: string, own: readonly string[] = []): boolean {
  const text = password.normalize('NFKC').toLowerCase()
  if (/^\d+$/.test(text)) return text.length < digitsMin
  // One to four characters, repeated.
  if (/^(.{1,4})\1+$/su.test(text)) return true
  const left = withoutRuns(text)
  if (left.length < runLengthMin) return true
  const parts = new Set([...words, ...own.flatMap(wordsOf)])
  const core = left.replace(/^[^\p{L}@$!|]+|[^\p{L}]+$/gu, '')
  return [plain(core), plain(left), plain(text)].some((each) => isMadeOf(each, parts))
}

function wordsOf(text: string): string[] {
  const all = text.toLowerCase().split(/[^\p{L}\d]+/u)
  return all.map(plain).filter((word) => word.length >= ownLengthMin)
}

function plain(text: string): string {
  return [...text].map((character) => replaced[character] ?? character).join('')
}

/** The text without runs of three or more neighbouring or equal characters. */
function withoutRuns(text: string): string {
  let left = ''
  for (let at = 0; at < text.length; ) {
    const length = runAt(text, at)
    if (length < runLengthMin) left += text[at++]
    else at += length
  }
  return left
}

function runAt(text: string, at: number): number {
  let longest = /^(.)\1*/su.exec(text.slice(at))?.[0].length ?? 1
  for (const row of rows)
    for (let length = longest + 1; at + length <= text.length; length++) {
      if (!row.includes(text.slice(at, at + length))) break
      longest = length
    }
  return longest
}

/** Whether a text consists only of these words. */
function isMadeOf(text: string, parts: ReadonlySet<string>): boolean {
  if (text === '') return false
  const reached = [true]
  for (let end = 1; end <= text.length; end++)
    reached[end] = [...reached.keys()].some(
      (start) => start < end && reached[start] === true && parts.has(text.slice(start, end)),
    )
  return reached[text.length] === true
}

/** Shorter parts of names occur in passwords by chance. */
const termLengthMin = 3
/** This many letters besides the user's own name do not make a password. */
const restLengthMax = 3

/**
 * Whether a password is little more than known data of the user, forwards or backwards: the user name, the
 * address, a name or the account, with digits, other characters and a few letters around it.
 */
export function isOwnName(password: string, own: readonly string[]): boolean {
  const terms = [...new Set(own.flatMap(termsOf))].sort((a, b) => b.length - a.length)
  const text = squeezed(password)
  return terms.length > 0 && [text, plain(text)].some((each) => isLittleMore(each, terms))
}

function isLittleMore(text: string, terms: readonly string[]): boolean {
  let left = text
  for (const term of terms) left = left.replaceAll(term, ' ')
  return left.includes(' ') && [...left.replace(/[\d ]/g, '')].length <= restLengthMax
}

/** A text and its parts, unchanged and with digits read as letters, forwards and backwards. */
function termsOf(text: string): string[] {
  const parts = text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
  const local = text.slice(0, Math.max(0, text.lastIndexOf('@')))
  return [...parts, squeezed(text), squeezed(local)]
    .flatMap((part) => [part, plain(part)])
    .flatMap((part) => [part, [...part].reverse().join('')])
    .filter((part) => part.length >= termLengthMin)
}

/** Letters and digits only. */
function squeezed(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\d]+/gu, '')
}
