import { type Setup, type SetupStep, setupSteps } from '@leitstand/contract/setup'

type Steps = Setup['steps']

/** Pure. Whether nothing is left to decide about a step. */
export function isSettled({ isDone, isSkipped }: Steps[number]): boolean {
  return isDone || isSkipped
}

/** Pure. The step the guide shows: the one that was asked for, else the first that is open. */
export function shownStep(steps: Steps, asked: string | undefined): SetupStep {
  const named = setupSteps.find((step) => step === asked)
  return named ?? steps.find((step) => !isSettled(step))?.key ?? setupSteps[0]
}

/** Pure. The next step that is open, from the shown one on and around; undefined: all are settled. */
export function nextStep(steps: Steps, shown: SetupStep): SetupStep | undefined {
  const at = steps.findIndex(({ key }) => key === shown)
  return [...steps.slice(at + 1), ...steps.slice(0, at)].find((step) => !isSettled(step))?.key
}
