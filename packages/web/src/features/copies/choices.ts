import type { CopyParts } from '@leitstand/contract/copies'

/** Longest title of a twin. */
export const titleMax = 200

/** Most twins in each copy of a file: one copy is one transaction. */
export const templateTwinsMax = 25

export const allParts: CopyParts = {
  descendants: true,
  states: true,
  rules: true,
  files: true,
  referenceIds: false,
  bindings: false,
}

/** What a copy would hold. */
export interface Contents {
  twins: number
  twinsMax: number
  devices: number
  states: number
  boundStates: number
  hiddenStates: number
  rules: number
  hiddenRules: number
  files: number
  referenceIds: number
}

type Part = keyof CopyParts

export interface Choice {
  part: Part
  count: number
  /** cannot be chosen, because of another choice */
  isOff: boolean
  hasHint: boolean
}

/** The parts to choose from; those the twin does not have are missing, the twins below it never are. */
export function choicesOf(contents: Contents, parts: CopyParts): Choice[] {
  const choices: Choice[] = [
    { part: 'descendants', count: parts.descendants ? contents.twins - 1 : 0, isOff: false, hasHint: true },
    { part: 'states', count: contents.states, isOff: false, hasHint: true },
    { part: 'bindings', count: contents.boundStates, isOff: !parts.states, hasHint: true },
    { part: 'rules', count: contents.rules - contents.hiddenRules, isOff: !parts.states, hasHint: false },
    { part: 'files', count: contents.files, isOff: false, hasHint: false },
    { part: 'referenceIds', count: contents.referenceIds, isOff: false, hasHint: true },
  ]
  return choices.filter(({ part, count }) => part === 'descendants' || count > 0)
}

/** The parts after a choice; rules are copied only with the states they refer to. */
export function withPart(parts: CopyParts, part: Part, isChosen: boolean): CopyParts {
  const next = { ...parts, [part]: isChosen }
  return part === 'states' ? { ...next, rules: isChosen, bindings: isChosen && parts.bindings } : next
}

interface Note {
  note: 'tooMany' | 'devices' | 'hiddenStates' | 'hiddenRules'
  count: number
}

/** What the copy will not have, or why it cannot be made. */
export function notesOf(contents: Contents, parts: CopyParts): Note[] {
  const { twins, twinsMax, devices, hiddenStates, hiddenRules } = contents
  const notes: Note[] = [
    { note: 'tooMany', count: twins > twinsMax ? twinsMax : 0 },
    { note: 'devices', count: devices },
    { note: 'hiddenStates', count: parts.states ? hiddenStates : 0 },
    { note: 'hiddenRules', count: parts.rules ? hiddenRules : 0 },
  ]
  return notes.filter(({ count }) => count > 0)
}

/** The job that continues a copy that took too long; null: it failed. */
export function jobBehind({
  code,
  details,
}: {
  code: string
  details: Record<string, unknown>
}): number | null {
  return code === 'DTWIN_COPY_TIMED_OUT' && typeof details.jobId === 'number' ? details.jobId : null
}
