import { RuleAction, type RuleActionKind, TemplateRuleAction } from '@leitstand/contract/rules'
import { describe, expect, it } from 'vitest'
import { newMetric } from '../draft.ts'
import { newEscalation, newStep } from './alarm/escalationDraft.ts'
import {
  actionFaults,
  actionKindNames,
  actionKinds,
  actionStateKeys,
  fromActionDraft,
  fromTemplateAction,
  toActionDraft,
  toTemplateAction,
} from './index.ts'
import { jsonExample, jsonFaults, openPlaceholder, placeholders, textFaults } from './texts.ts'
import type { FaultContext } from './types.ts'

const context: FaultContext = { metrics: [newMetric('temp', 7), newMetric('hum', 8)], earlier: [] }
const actions: Record<RuleActionKind, RuleAction> = {
  alarm: { kind: 'alarm', severity: 'error', category: 'battery', message: 'Zu warm: {{temp}}' },
  email: { kind: 'email', recipients: ['ada@example.org'], subject: '{{rule.title}}', body: '' },
  'set-state': { kind: 'set-state', stateId: 9, value: { metric: 'temp' } },
  webhook: { kind: 'webhook', connectorId: 3, format: 'json', text: '{"t": {{temp}}}' },
  'connector-command': {
    kind: 'connector-command',
    connectorId: 4,
    topic: 'fans/{{temp}}',
    format: 'text',
    payload: 'on',
  },
  downlink: {
    kind: 'downlink',
    deviceId: null,
    content: { from: 'predefined', name: 'Interval', values: { minutes: { metric: 'hum' } } },
    validMinutes: 60,
  },
  'resolve-alarm': { kind: 'resolve-alarm', ruleId: 5 },
  'start-rule': { kind: 'start-rule', ruleId: 5 },
  'compute-state': { kind: 'compute-state', stateId: 9 },
  ticket: { kind: 'ticket', type: 'defect', subject: '{{rule.title}}', comment: '', priority: 'high' },
  push: { kind: 'push', userIds: [1], title: '{{rule.title}}', body: '{{temp}}' },
}

describe.each(actionKindNames)('an action of kind %s', (kind) => {
  const action = actions[kind]

  it('is one of the contract', () => {
    expect(RuleAction.safeParse(action).success).toBe(true)
  })

  it('comes back from its draft, under the key of its row', () => {
    const draft = toActionDraft(5, action)
    expect(draft.id).toBe(5)
    expect(fromActionDraft(draft)).toEqual(action)
  })

  it('has no faults', () => {
    expect(actionFaults(toActionDraft(1, action), context)).toEqual([])
  })

  it('comes back from a template', () => {
    const keyOf = (state: number) => `key${state}`
    const template = toTemplateAction(action, keyOf)
    expect(TemplateRuleAction.safeParse(template).success).toBe(true)
    expect(fromTemplateAction(template, (key) => Number(key.slice(3)))).toEqual(action)
    expect(actionStateKeys(template)).toEqual('stateId' in action ? ['key9'] : [])
  })

  it('starts as a draft of its kind', () => {
    expect(actionKinds[kind].create((key) => key).kind).toBe(kind)
    expect(actionKinds[kind].max).toBeGreaterThan(0)
  })
})

describe('faults of an e-mail', () => {
  const faults = (change: object) =>
    actionFaults(
      { ...toActionDraft(1, actions.email), ...change } as Parameters<typeof actionFaults>[0],
      context,
    )
  it.each([
    [['ada@example.org', 'ben@example.org'], []],
    [['ada@xn--mnchen-3ya.example'], []],
    [['ada@münchen.example'], ['notAnAddress']],
    [['admin@localhost'], []],
    [[], ['noRecipient']],
    [['ada'], ['notAnAddress']],
    [['ada@example'], []],
    [['ada @example.org'], ['notAnAddress']],
    [['ada@example.org', ''], ['notAnAddress']],
    [['a@b@example.org'], ['notAnAddress']],
  ])('recipients %j', (recipients, keys) => {
    expect(faults({ recipients }).map(({ key }) => key)).toEqual(keys)
  })

  it('needs a subject, but no text', () => {
    expect(faults({ subject: ' ' })).toEqual([{ field: 'subject', key: 'required' }])
    expect(faults({ body: '' })).toEqual([])
  })

  it('names the field of an unknown placeholder', () => {
    expect(faults({ subject: '{{x}}', body: '{{y}}' })).toEqual([
      { field: 'subject', key: 'unknownPlaceholder', name: 'x' },
      { field: 'body', key: 'unknownPlaceholder', name: 'y' },
    ])
  })
})

describe('faults of the reminders of an alarm', () => {
  const faults = (...recipients: string[][]) => {
    const steps = recipients.map((each, index) => ({ afterMinutes: index + 1, recipients: each }))
    const escalation = { everyMinutes: 10, until: 'resolved', steps }
    return actionFaults(
      { ...toActionDraft(1, actions.alarm), escalation } as Parameters<typeof actionFaults>[0],
      context,
    )
  }
  it.each([
    [[['ada@example.org'], ['ben@example.org']], []],
    [[['ada@example.org'], []], ['noRecipient']],
    [[['ada'], ['ben']], ['notAnAddress']],
  ])('to %j', (recipients, keys) => {
    expect(faults(...recipients)).toEqual(keys.map((key) => ({ field: 'escalation', key })))
  })
})

it('steps of reminders are sent as they are, without what the form knows them by', () => {
  const steps = [{ afterMinutes: 5, recipients: ['ada@example.org'] }]
  const action = { ...actions.alarm, escalation: { everyMinutes: null, until: 'resolved' as const, steps } }
  expect(fromActionDraft(toActionDraft(1, action))).toEqual(action)
})

it('each step of the reminders proposed for an alarm comes twice as late as the one before', () => {
  const { steps } = newEscalation()
  const second = newStep(steps)
  expect([...steps, second, newStep([...steps, second])].map(({ afterMinutes }) => afterMinutes)).toEqual([
    15, 30, 60,
  ])
})

describe('faults of setting a state', () => {
  const faults = (change: object) =>
    actionFaults(
      { ...toActionDraft(1, actions['set-state']), ...change } as Parameters<typeof actionFaults>[0],
      context,
    )
  it.each([
    [{ stateId: null }, [{ field: 'stateId', key: 'required' }]],
    [{ stateId: 7 }, [{ field: 'stateId', key: 'ownInput' }]],
    [{ value: { metric: 'gone' } }, [{ field: 'value', key: 'unknownMetric', name: 'gone' }]],
    [{ value: { value: null } }, []],
  ])('%j', (change, expected) => {
    expect(faults(change)).toEqual(expected)
  })

  it('is incomplete without a state, and a deleted one has to be chosen again', () => {
    expect(fromActionDraft({ id: 1, kind: 'set-state', stateId: null, value: { value: 1 } })).toBeNull()
    const gone: RuleAction = { kind: 'set-state', stateId: 0, value: { value: 1 } }
    expect(toActionDraft(1, gone)).toMatchObject({ stateId: null })
  })
})

it('a second alarm is a fault of the action', () => {
  const draft = toActionDraft(1, actions.alarm)
  expect(actionFaults(draft, { ...context, earlier: ['email'] })).toEqual([])
  expect(actionFaults(draft, { ...context, earlier: ['email', 'alarm'] })).toEqual([
    { field: '', key: 'oneAlarm' },
  ])
})

describe('placeholders', () => {
  it('are those of the metrics and three fixed ones', () => {
    expect(placeholders(['temp'])).toEqual(['{{temp}}', '{{twin.title}}', '{{rule.title}}', '{{time}}'])
  })

  it.each([
    ['Zu warm', []],
    ['{{temp}} {{ hum }} {{twin.title}} {{time}}', []],
    ['{{Temp}}', ['Temp']],
    ['{{x}} {{x}} {{y}}', ['x', 'y']],
    ['{{twin.name}}', ['twin.name']],
    ['{temp}', []],
    ['{{}}', []],
    ['{{ {{temp}} }}', []],
    ['{{a b}}', []],
  ])('%s has the unknown %j', (text, names) => {
    expect(textFaults(text, 'body', context, { required: false }).map(({ name }) => name)).toEqual(names)
  })

  it('an empty text is a fault only where one is needed', () => {
    expect(textFaults(' ', 'message', context, { required: true })).toEqual([
      { field: 'message', key: 'required' },
    ])
    expect(textFaults('', 'body', context, { required: false })).toEqual([])
  })
})

describe('faults of a webhook', () => {
  const faults = (change: object) =>
    actionFaults(
      { ...toActionDraft(1, actions.webhook), ...change } as Parameters<typeof actionFaults>[0],
      context,
    )
  it.each([
    [{ connectorId: null }, [{ field: 'connectorId', key: 'required' }]],
    [{ format: 'standard', text: '{' }, []],
    [{ text: '{"t": {{temp}}' }, [{ field: 'text', key: 'json' }]],
    [{ text: '' }, [{ field: 'text', key: 'required' }]],
    [{ format: 'text', text: '{' }, []],
    [{ text: '{{x}}' }, [{ field: 'text', key: 'unknownPlaceholder', name: 'x' }]],
  ])('%j', (change, expected) => {
    expect(faults(change)).toEqual(expected)
  })
})

describe('faults of a command', () => {
  it.each([
    ['a/b', []],
    ['', ['required']],
    ['a/+', ['topic']],
    ['a/#', ['topic']],
    ['$SYS/a', ['topic']],
  ])('topic %j', (topic, keys) => {
    const draft = { ...toActionDraft(1, actions['connector-command']), topic } as Parameters<
      typeof actionFaults
    >[0]
    expect(actionFaults(draft, context).map(({ key }) => key)).toEqual(keys)
  })
})

describe('faults of a downlink', () => {
  it.each([
    [{ from: 'predefined', name: '', values: {} }, ['required']],
    [{ from: 'predefined', name: 'a', values: { x: { metric: 'gone' } } }, ['unknownMetric']],
    [{ from: 'script', script: ' ', port: 1, confirmed: false }, ['required']],
    [{ from: 'script', script: 'return [1]', port: 1, confirmed: false }, []],
  ])('%j', (content, keys) => {
    const draft = { ...toActionDraft(1, actions.downlink), content } as Parameters<typeof actionFaults>[0]
    expect(actionFaults(draft, context).map(({ key }) => key)).toEqual(keys)
  })
})

it('a rule does not resolve the alarm that it raises', () => {
  const draft = toActionDraft(1, { kind: 'resolve-alarm', ruleId: null })
  expect(actionFaults(draft, { ...context, earlier: ['alarm'] })).toEqual([
    { field: 'ruleId', key: 'otherRule' },
  ])
  expect(actionFaults(draft, context)).toEqual([])
})

describe('the placeholder being typed', () => {
  it.each([
    ['Zu {{te', 7, { start: 3, end: 7, typed: 'te' }],
    ['Zu {{', 5, { start: 3, end: 5, typed: '' }],
    ['Zu {{te}} x', 7, { start: 3, end: 9, typed: 'te' }],
    ['Zu {{te x', 7, { start: 3, end: 7, typed: 'te' }],
    ['Zu {{temp}} ', 12, null],
    ['Zu te', 5, null],
    ['{{a}} {{twin.', 13, { start: 6, end: 13, typed: 'twin.' }],
  ])('%s at %d', (text, caret, expected) => {
    expect(openPlaceholder(text, caret)).toEqual(expected)
  })
})

it('JSON to begin with is without faults', () => {
  expect(jsonFaults(jsonExample(['temp', 'hum']), 'text')).toEqual([])
})

describe('charts in a mail', () => {
  it('are of inputs with one state', () => {
    const clock = { ...newMetric('hour'), operation: 'clock' as const }
    const children = newMetric('rooms')
    const across = {
      ...children,
      operation: 'related' as const,
      own: { ...children.own, of: 'children' as const },
    }
    const metrics = [newMetric('temp', 7), clock, across]
    const charts = { metrics: ['temp', 'hour', 'rooms'], hours: 24 }
    const faults = actionFaults(
      { ...toActionDraft(1, actions.email), charts } as Parameters<typeof actionFaults>[0],
      { metrics, earlier: [] },
    )
    expect(faults.filter(({ field }) => field === 'charts').map(({ name }) => name)).toEqual([
      'hour',
      'rooms',
    ])
  })
})
