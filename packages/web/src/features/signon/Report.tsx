import type { SsoReport } from '@leitstand/contract'
import { Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import classes from './sso.module.css'

const icons = { ok: IconCircleCheck, warning: IconAlertTriangle, failed: IconCircleX }

/** Result of checking the provider, step by step. */
export function Report({ report, isOld }: { report: SsoReport; isOld: boolean }) {
  const { t } = useTranslation()
  const { discovered } = report
  return (
    <Stack gap="sm" role="status">
      <Text size="sm" fw={550}>
        {t(isOld ? 'sso.reportOld' : report.ok ? 'sso.reportGood' : 'sso.reportBad')}
      </Text>
      <ul className={classes.report}>
        {report.checks.map(({ step, state, reason, detail }) => (
          <li key={step} className={classes.check} data-state={state}>
            <Icon of={icons[state]} />
            <div>
              <Text size="sm">
                {t(`sso.step.${step}`)}: {t(`sso.reason.${reason}`)}
              </Text>
              {detail ? <div className={classes.detail}>{detail}</div> : null}
            </div>
          </li>
        ))}
      </ul>
      {discovered && discovered.claims.length > 0 ? (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {t('sso.discoveredClaims', { claims: discovered.claims.join(', ') })}
        </Text>
      ) : null}
    </Stack>
  )
}
