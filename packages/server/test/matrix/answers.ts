import {
  type Action,
  actions,
  type Permission,
  type Subject,
  subjects,
} from '@leitstand/contract/permissions'

/**
 * The callers. All but the stranger, the administrators of other accounts and the system administrator belong
 * to the account that owns all objects; key, deactivated and impersonated user have the rights of its
 * administrator.
 */
export const callers = [
  'nobody',
  'stranger',
  'viewer',
  'operator',
  'administrator',
  'sibling',
  'parent',
  'system',
  'key',
  'expiredKey',
  'deactivated',
  'impersonated',
] as const
export type CallerName = (typeof callers)[number]

/**
 * `ok`; for a list `none`: a reply without the object; `401`: not signed in; `403`: no permission; `404`: as
 * if it did not exist; `self`: not allowed while impersonating. Anything else is an error code.
 */
export type Answer = 'ok' | 'none' | '401' | '403' | '404' | 'self'

/**
 * Expected result per caller, by the permission the specification requires (1 section 6, 2 section 6, 3
 * section 6) and the default roles. Stranger: an operator of an unrelated account. Sibling and parent:
 * administrators of the sibling account and of the parent account.
 */
const table = `
                      nobody  stranger  viewer  operator  administrator  sibling  parent  system  key  expiredKey  deactivated  impersonated
public                ok      ok        ok      ok        ok             ok       ok      ok      ok   ok          ok           ok
signed in             401     ok        ok      ok        ok             ok       ok      ok      ok   401         401          ok
sees the account      401     404       ok      ok        ok             404      ok      ok      ok   401         401          ok
a person              401     ok        ok      ok        ok             ok       ok      ok      403  401         401          ok
the very person       401     ok        ok      ok        ok             ok       ok      ok      403  401         401          self

DigitalTwin list      401     404       ok      ok        ok             404      ok      ok      ok   401         401          ok
DigitalTwin read      401     404       ok      ok        ok             404      ok      ok      ok   401         401          ok
DigitalTwin write     401     404       403     ok        ok             404      ok      ok      ok   401         401          ok
DigitalTwinStates read 401    404       ok      ok        ok             404      ok      ok      ok   401         401          ok
VirtualDevice read    401     404       ok      ok        ok             404      ok      ok      ok   401         401          ok
VirtualDevice write   401     404       403     ok        ok             404      ok      ok      ok   401         401          ok
VirtualDevice manage  401     403       403     403       ok             404      ok      ok      ok   401         401          ok
DeviceDriver read     401     404       ok      ok        ok             404      ok      ok      ok   401         401          ok
DeviceDriver manage   401     403       403     403       ok             404      ok      ok      ok   401         401          ok
DeviceTemplate read   401     404       ok      ok        ok             404      ok      ok      ok   401         401          ok
DeviceTemplate manage 401     403       403     403       ok             404      ok      ok      ok   401         401          ok
Dashboards read       401     404       ok      ok        ok             404      ok      ok      ok   401         401          ok
Dashboards manage     401     404       403     ok        ok             404      ok      ok      ok   401         401          ok
IsFmTicket read       401     403       403     403       ok             404      ok      ok      ok   401         401          ok
IsFmTicket create     401     403       403     403       ok             404      ok      ok      ok   401         401          ok
IsFmTicket manage     401     403       403     403       ok             404      ok      ok      ok   401         401          ok
IsAssetMgmt read       401     403       403     403       ok             404      ok      ok      ok   401         401          ok
IsAssetMgmt manage     401     403       403     403       ok             404      ok      ok      ok   401         401          ok
IsWarnapp read        401     403       403     403       ok             404      ok      ok      ok   401         401          ok
IsWarnapp manage      401     403       403     403       ok             404      ok      ok      ok   401         401          ok
IsFmAccess write      401     403       403     403       ok             404      ok      ok      ok   401         401          ok
IsFmAccess manage     401     403       403     403       ok             404      ok      ok      ok   401         401          ok
IotHub read           401     403       403     403       ok             404      ok      ok      ok   401         401          ok
IotHub manage         401     403       403     403       ok             404      ok      ok      ok   401         401          ok

UserManagement read   401     403       403     403       ok             404      ok      ok      ok   401         401          ok
UserManagement create 401     403       403     403       ok             404      ok      ok      ok   401         401          ok
UserManagement manage 401     403       403     403       ok             404      ok      ok      ok   401         401          ok
UserManagement impersonate 401 403      403     403       ok             404      ok      ok      ok   401         401          ok
PublicSharing manage  401     403       403     403       ok             404      ok      ok      ok   401         401          ok
all manage            401     403       403     403       ok             404      ok      ok      ok   401         401          ok
super.system manage   401     403       403     403       403            403      403     ok      403  401         401          403
`

/** Lines of the table that are not permissions of the specification. */
export type Line = 'public' | 'signed in' | 'sees the account' | 'a person' | 'the very person'
/** Permissions like `DigitalTwin read`, joined by `or`; or a line. */
export type Needs = Line | `${Subject} ${string}`

export type Answers = Record<CallerName, Answer>

const answerNames: readonly string[] = ['ok', 'none', '401', '403', '404', 'self'] satisfies Answer[]
const isAnswer = (text: string): text is Answer => answerNames.includes(text)

const lines: ReadonlyMap<string, Answers> = new Map(
  table
    .trim()
    .split('\n')
    .slice(1)
    .filter((line) => line.trim() !== '')
    .map((line): [string, Answers] => {
      const words = line.trim().split(/\s+/)
      const cells = words.splice(-callers.length)
      const answers = cells.filter(isAnswer)
      if (answers.length !== callers.length) throw new Error(`a line of the table has other cells: ${line}`)
      return [words.join(' '), byCaller((index) => answers[index] ?? '403')]
    }),
)

function byCaller(answerOf: (index: number) => Answer): Answers {
  return Object.fromEntries(callers.map((name, index) => [name, answerOf(index)])) as Answers
}

/** The permissions of a need; null where it is none. */
export function permissionsOf(needs: Needs): Permission[] | null {
  const found = needs.split(' or ').map((one) => {
    const [subject, action] = one.split(' ')
    return {
      subject: subjects.find((known) => known === subject),
      action: actions.find((known) => known === action),
    }
  })
  const known = found.filter(
    (one): one is { subject: Subject; action: Action } => !!one.subject && !!one.action,
  )
  return known.length === found.length ? known : null
}

/** From the most permissive result down: one of several permissions is enough. */
const generous: readonly Answer[] = ['ok', 'none', '404', 'self', '403', '401']

/**
 * Expected result of every caller.
 * @param list whether invisible objects are left out instead of causing an error
 */
export function answersFor(needs: Needs, list: boolean, except: Partial<Answers> = {}): Answers {
  const found = (lines.has(needs) ? [needs] : needs.split(' or ')).map((one) => {
    const line = lines.get(one)
    if (!line) throw new Error(`the table has no line "${one}"`)
    return line
  })
  const answers = byCaller((index) => {
    const name = callers[index] ?? 'nobody'
    const best = generous.find((answer) => found.some((line) => line[name] === answer)) ?? '403'
    return list && best === '404' ? 'none' : best
  })
  return { ...answers, ...except }
}
