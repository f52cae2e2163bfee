import { type RefObject, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { describeError } from '../../lib/errors.ts'
import { draftFaults, type Fault, newRule, type RuleDraft } from './draft.ts'

/** Returns the error text for a place of the draft, once the user has tried to save. */
export type FaultText = (at: string) => string | null

interface RuleFormOptions {
  /** absent: a new rule */
  start?: RuleDraft | undefined
  /** stores a valid draft, or keeps it for later */
  store: (draft: RuleDraft) => Promise<void>
  onClose: () => void
  /** the form, to focus its first error */
  host: RefObject<HTMLElement | null>
}

/** State of the rule form: changes, errors, saving. */
export function useRuleForm({ start, store, onClose, host }: RuleFormOptions) {
  const { t } = useTranslation()
  const [draft, setDraft] = useState<RuleDraft>(() => start ?? newRule())
  const [initial] = useState(() => JSON.stringify(draft))
  const [tried, setTried] = useState(false)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const [issues, setIssues] = useState<Fault[]>([])
  const faults = draftFaults(draft)
  const dirty = JSON.stringify(draft) !== initial
  const set = (change: Partial<RuleDraft>) => {
    setIssues([])
    setDraft((before) => ({ ...before, ...change }))
  }

  const faultAt: FaultText = (at) => {
    const fault = [...(tried ? faults : []), ...issues].find((each) => each.at === at)
    return fault ? t(`rules.faults.${fault.key}`, { name: fault.name }) : null
  }
  const save = async () => {
    setTried(true)
    setFailure(undefined)
    if (faults.length > 0) {
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
      if (describeError(error).code === 'DDR_DUPLICATE_NAME')
        setIssues([{ at: 'title', key: 'duplicateTitle' }])
      else setFailure(error)
      setBusy(false)
    }
  }
  return { draft, set, faults, faultAt, tried, dirty, busy, failure, save }
}
