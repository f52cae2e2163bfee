import type { AlarmAction, AlarmEscalation } from '@leitstand/contract/rules/actions/alarm'

/** A step while it is edited: its fields keep what was typed when another step is removed. */
export type StepDraft = AlarmEscalation['steps'][number] & { id: number }

export interface EscalationDraft extends Omit<AlarmEscalation, 'steps'> {
  steps: StepDraft[]
}

export interface AlarmDraft extends Omit<AlarmAction, 'escalation'> {
  escalation?: EscalationDraft
}

/** One that was stored without a category keeps meaning `unknown`. */
export function toAlarmDraft({ escalation, ...stored }: AlarmAction): AlarmDraft {
  const action = { ...stored, category: stored.category ?? 'unknown' }
  if (escalation === undefined) return action
  const steps = escalation.steps.map((step, index) => ({ ...step, id: index + 1 }))
  return { ...action, escalation: { ...escalation, steps } }
}

export function fromAlarmDraft({ escalation, ...action }: AlarmDraft): AlarmAction {
  if (escalation === undefined) return action
  const steps = escalation.steps.map(({ afterMinutes, recipients }) => ({ afterMinutes, recipients }))
  return { ...action, escalation: { ...escalation, steps } }
}

/** What is proposed when reminders are switched on. */
export function newEscalation(): EscalationDraft {
  return { everyMinutes: 30, until: 'acknowledged', steps: [newStep([])] }
}

/** The next step: twice as long after the alarm as the latest one. */
export function newStep(steps: readonly StepDraft[]): StepDraft {
  const highest = (of: (step: StepDraft) => number) => steps.map(of).reduce((a, b) => Math.max(a, b), 0)
  const latest = highest(({ afterMinutes }) => afterMinutes)
  return { id: highest(({ id }) => id) + 1, afterMinutes: latest === 0 ? 15 : latest * 2, recipients: [] }
}
