import type { UnacceptedDriver } from '@leitstand/contract/driverAcceptance'
import { Alert, Anchor, Checkbox, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { ErrorText } from '../../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { DriverFacts } from './DriverFacts.tsx'
import classes from './firstUse.module.css'

interface UnacceptedDriversProps {
  drivers: readonly UnacceptedDriver[]
  /** ids of the drivers that the user accepts */
  accepted: readonly number[]
  onChange: (accepted: number[]) => void
  /** the user has tried to continue */
  asked: boolean
}

/** Other accounts' drivers that an account would use for the first time; each has to be accepted. */
export function UnacceptedDrivers({ drivers, accepted, onChange, asked }: UnacceptedDriversProps) {
  const { t } = useTranslation()
  if (drivers.length === 0) return null
  const isOpen = drivers.some(({ id }) => !accepted.includes(id))
  return (
    <Section title={t('drivers.unaccepted.title')} description={t('drivers.unaccepted.text')}>
      <Stack gap="lg">
        {drivers.map((driver) => (
          <UnacceptedRow
            key={driver.id}
            driver={driver}
            isAccepted={accepted.includes(driver.id)}
            onAccept={(accepts) =>
              onChange(accepts ? [...accepted, driver.id] : accepted.filter((id) => id !== driver.id))
            }
          />
        ))}
        {asked && isOpen ? <Alert color="red">{t('drivers.unaccepted.needed')}</Alert> : null}
        <Text size="sm" c="dimmed">
          {t('drivers.firstUse.later')}
        </Text>
      </Stack>
    </Section>
  )
}

interface RowProps {
  driver: UnacceptedDriver
  isAccepted: boolean
  onAccept: (accepts: boolean) => void
}

function UnacceptedRow({ driver: { id, title, number }, isAccepted, onAccept }: RowProps) {
  const { t } = useTranslation()
  const driver = useQuery(api.devicedrivers.get.queryOptions({ input: { id, number } }))
  return (
    <section className={classes.row} aria-label={title}>
      <Group justify="space-between" gap="xs">
        <Text fw={600}>{title}</Text>
        <Anchor href={`/virtual-device-drivers/${id}?tab=parser`} target="_blank" rel="noopener" size="sm">
          {t('drivers.unaccepted.open')}
        </Anchor>
      </Group>
      {driver.data ? <DriverFacts driver={driver.data} /> : null}
      {driver.isPending ? (
        <Loading>
          <Skeleton h={44} />
        </Loading>
      ) : null}
      {driver.error ? <ErrorText error={driver.error} /> : null}
      <Checkbox
        label={t('drivers.unaccepted.accept', { title, number })}
        checked={isAccepted}
        disabled={!driver.data}
        onChange={(event) => onAccept(event.currentTarget.checked)}
      />
    </section>
  )
}
