import { brokerPasswordLengthMin } from '@leitstand/contract/connectors/kinds/mqtt-broker'
import { Alert } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { describeError } from '../../lib/errors.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import classes from './connectors.module.css'
import type { Validation } from './queries.ts'

type Checks = Validation['checks']

/** Test results, with the reason for each failure. */
export function CheckList({ checks }: { checks: Checks }) {
  const { t } = useTranslation()
  return (
    <ul className={classes.checks}>
      {checks.map((check) => (
        <li key={`${check.name}-${check.message}`} className={classes.check} data-ok={check.ok || undefined}>
          <span>
            <Icon of={check.ok ? IconCheck : IconX} size={16} />
          </span>
          <span>
            <b>{t(`connectors.check.${check.name}`, { defaultValue: check.name })}</b>
            {check.message
              ? ` – ${check.reason ? t(`connectors.checkReasons.${check.reason}`, { limit: brokerPasswordLengthMin }) : check.message}`
              : ''}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Remembers which tests rejected a save: `run` stores, `note` shows them until the next try. */
export function useRefusal() {
  const { t } = useTranslation()
  const [checks, setChecks] = useState<Checks>([])
  const run = async <T,>(store: () => Promise<T>): Promise<T> => {
    setChecks([])
    try {
      return await store()
    } catch (error) {
      const { checks: found } = describeError(error).details
      setChecks(Array.isArray(found) ? (found as Checks) : [])
      throw error
    }
  }
  const note =
    checks.length === 0 ? null : (
      <Alert color="red" variant="light" title={t('connectors.refused')}>
        <CheckList checks={checks} />
      </Alert>
    )
  return { run, note }
}
