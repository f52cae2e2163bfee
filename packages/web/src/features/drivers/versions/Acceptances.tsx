import { Alert, Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconArrowsDiff, IconArrowUp } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { formatNumber } from '../../../lib/format.ts'
import { StatusBadge } from '../../../ui/display/Badges.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RelativeTime } from '../../../ui/display/RelativeTime.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { notifyError, notifySuccess } from '../../../ui/feedback/notify.ts'
import { SimpleTable } from '../../../ui/list/SimpleTable.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { type Acceptance, type Driver, invalidateDrivers } from '../queries.ts'
import { Diff } from './Comparison.tsx'
import { warningsOf } from './warnings.ts'

/** Accounts other than the author's choose themselves which version decodes their packets. */
export function Acceptances({ driver }: { driver: Driver }) {
  const { t } = useTranslation()
  const [asked, setAsked] = useState<Acceptance | null>(null)
  const found = useQuery(
    api.devicedrivers.acceptances.queryOptions({ input: { id: driver.id, limit: 1000 } }),
  )
  if (found.isLoadingError) return <ErrorState error={found.error} compact />
  if (!found.data || found.data.items.length === 0) return null
  return (
    <Section title={t('drivers.accepted.title')} description={t('drivers.accepted.text')} flush>
      <SimpleTable
        label={t('drivers.accepted.title')}
        rows={found.data.items}
        rowKey={({ accountId }) => accountId}
        inset="md"
        columns={[
          {
            key: 'account',
            title: t('drivers.field.account'),
            wraps: true,
            render: ({ accountName }) => accountName,
          },
          {
            key: 'number',
            title: t('drivers.accepted.number'),
            render: (each) => (
              <Group gap="4px 8px">
                <b>v{each.number}</b>
                {driver.publishedVersion !== null && driver.publishedVersion !== each.number ? (
                  <AvailableBadge number={driver.publishedVersion} />
                ) : null}
                {each.editable && driver.versions.length > 1 ? (
                  <Button
                    size="compact-sm"
                    variant="default"
                    leftSection={<Icon of={IconArrowsDiff} size={14} />}
                    onClick={() => setAsked(each)}
                    aria-label={t('drivers.accepted.chooseFor', { account: each.accountName })}
                  >
                    {t('drivers.accepted.choose')}
                  </Button>
                ) : null}
              </Group>
            ),
          },
          {
            key: 'devices',
            title: t('drivers.field.devices'),
            render: ({ devices }) => formatNumber(devices, 0),
          },
          {
            key: 'by',
            title: t('drivers.accepted.by'),
            render: (each) => (
              <span>
                {each.acceptedBy || t('drivers.accepted.withFirst')}{' '}
                <Text span size="xs" c="dimmed">
                  <RelativeTime time={each.acceptedAt} />
                </Text>
              </span>
            ),
          },
        ]}
      />
      {asked ? <AcceptDialog driver={driver} accepted={asked} onClose={() => setAsked(null)} /> : null}
    </Section>
  )
}

/** A version other than the accepted one is published. */
export function AvailableBadge({ number }: { number: number }) {
  const { t } = useTranslation()
  return <StatusBadge tone="warning" icon={IconArrowUp} label={t('drivers.accepted.available', { number })} />
}

interface AcceptDialogProps {
  driver: Driver
  accepted: Acceptance
  onClose: () => void
}

/** Shows what another version changes for an account and asks whether to accept it. */
function AcceptDialog({ driver, accepted, onClose }: AcceptDialogProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const numbers = driver.versions
    .filter(({ number, publishedAt }) => publishedAt !== null && number !== accepted.number)
    .map(({ number }) => number)
  const published = numbers.find((number) => number === driver.publishedVersion)
  const [number, setNumber] = useState(published ?? numbers[0] ?? accepted.number)
  const [busy, setBusy] = useState(false)
  const versionOf = (each: number) =>
    api.devicedrivers.get.queryOptions({ input: { id: driver.id, number: each }, staleTime: 300_000 })
  const before = useQuery(versionOf(accepted.number))
  const after = useQuery(versionOf(number))
  const accept = async () => {
    setBusy(true)
    try {
      await client.devicedrivers.accept({ id: driver.id, accountId: accepted.accountId, number })
      notifySuccess(t('drivers.accepted.done', { number, account: accepted.accountName }))
      onClose()
    } catch (error) {
      notifyError(error)
    } finally {
      setBusy(false)
      await invalidateDrivers(cache)
    }
  }
  const isReady = before.data !== undefined && after.data !== undefined && number !== accepted.number
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      centered
      title={t('drivers.accepted.ask', { account: accepted.accountName })}
    >
      <Stack gap="md">
        <Text size="sm">{t('drivers.accepted.askText', { count: accepted.devices })}</Text>
        <Select
          label={t('drivers.accepted.version')}
          data={numbers.map((each) => ({ value: String(each), label: `v${each}` }))}
          value={String(number)}
          onChange={(chosen) => setNumber(Number(chosen))}
          allowDeselect={false}
        />
        {before.isError || after.isError ? (
          <ErrorState error={before.error ?? after.error} compact />
        ) : before.data && after.data ? (
          <>
            {warningsOf(before.data.parser, after.data.parser).map(({ kind, details }) => (
              <Alert
                key={kind}
                variant="light"
                color={kind === 'host' ? 'red' : 'yellow'}
                icon={<Icon of={IconAlertTriangle} />}
              >
                {t(`drivers.accepted.warning.${kind}`, {
                  host: details.host,
                  kind: t(`drivers.kind.name.${details.kind}`),
                })}
              </Alert>
            ))}
            <Diff
              before={before.data}
              after={after.data}
              label={t('drivers.accepted.ask', { account: accepted.accountName })}
            />
          </>
        ) : (
          <Loading />
        )}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('common.cancel')}
          </Button>
          <Button onClick={() => void accept()} loading={busy} disabled={!isReady}>
            {t('drivers.accepted.accept', { number })}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
