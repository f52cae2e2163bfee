import { type RefObject, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { placeError } from '../../ui/forms/placeError.ts'
import { useFieldFaults } from '../../ui/forms/useFieldFaults.ts'
import { draftFaults, type MetricDraft, placeOf, placesOf, type RuleDraft, renameMetric } from './draft.ts'

/** Returns the error text to show now at a place of the draft. */
export type FaultText = (at: string) => string | null

interface RuleFormOptions {
  start: RuleDraft
  /** stores a valid draft, or keeps it for later */
  store: (draft: RuleDraft) => Promise<void>
  onClose: () => void
  /** the form, to focus its first error */
  host: RefObject<HTMLElement | null>
}

/** State of the rule form: changes, errors, saving. */
export function useRuleForm({ start, store, onClose, host }: RuleFormOptions) {
  const { t } = useTranslation()
  const [draft, setDraft] = useState(start)
  const [initial] = useState(() => JSON.stringify(draft))
  const [tried, setTried] = useState(false)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const faults = draftFaults(draft)
  const texts = () =>
    Object.fromEntries(
      faults.map(({ at, key, name }) => [at, t(`rules.faults.${key}`, { name })] as const).toReversed(),
    )
  const shown = useFieldFaults(() => placesOf(draft), texts)
  const dirty = JSON.stringify(draft) !== initial
  const set = (change: Partial<RuleDraft>) => setDraft((before) => ({ ...before, ...change }))
  const rename = (metrics: MetricDraft[], from: string, to: string) =>
    setDraft((before) => renameMetric(before, metrics, from, to))

  const faultAt: FaultText = (at) => shown.faults[at] ?? null
  const save = async () => {
    setTried(true)
    setFailure(undefined)
    if (Object.keys(shown.attempt()).length > 0) {
      requestAnimationFrame(() =>
        host.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-fault]')?.focus(),
      )
      return
    }
    setBusy(true)
    try {
      await store(draft)
      onClose()
    } catch (error) {
      const { placed, isLeft } = placeError(error, draft)
      const found = Object.entries(placed).map(([path, text]) => [placeOf(path, draft), text] as const)
      shown.refuse(Object.fromEntries(found))
      if (isLeft || found.length === 0) setFailure(error)
      setBusy(false)
    }
  }
  return { draft, set, rename, faults, faultAt, tried, dirty, busy, failure, save }
}
