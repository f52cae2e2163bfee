import { Alert, Group } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Fact } from '../../../ui/display/Fact.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import type { Driver } from '../queries.ts'
import { warningsOf } from '../versions/warnings.ts'

/** Whose driver it is and of what kind, with a warning if it sends packets to an external address. */
export function DriverFacts({ driver }: { driver: Driver }) {
  const { t } = useTranslation()
  const { parser, number, accountName } = driver
  const host = warningsOf(parser, parser).find(({ kind }) => kind === 'host')?.details.host
  return (
    <>
      <Group align="start" gap="xl">
        <Fact label={t('drivers.firstUse.owner')}>{accountName}</Fact>
        <Fact label={t('drivers.firstUse.kind')}>{t(`drivers.kind.name.${parser.kind}`)}</Fact>
        <Fact label={t('drivers.accepted.version')}>v{number}</Fact>
      </Group>
      {host === undefined ? null : (
        <Alert variant="light" color="red" icon={<Icon of={IconAlertTriangle} />}>
          {t('drivers.accepted.warning.host', { host })}
        </Alert>
      )}
    </>
  )
}
