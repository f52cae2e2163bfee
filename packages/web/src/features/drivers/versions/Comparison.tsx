import { Group, Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { formatTime } from '../../../lib/format.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import type { Driver } from '../queries.ts'
import { sourceOf } from './source.ts'
import { TextDiff } from './TextDiff.tsx'

/** What changed between two versions of a driver. */
export function Comparison(props: {
  driver: Driver
  pair: [number, number]
  onPair: (pair: [number, number]) => void
}) {
  const { t } = useTranslation()
  const { driver, pair } = props
  const [leftNumber, rightNumber] = pair
  const left = useQuery(
    api.devicedrivers.get.queryOptions({ input: { id: driver.id, number: leftNumber }, staleTime: 300_000 }),
  )
  const right = useQuery(
    api.devicedrivers.get.queryOptions({ input: { id: driver.id, number: rightNumber }, staleTime: 300_000 }),
  )
  const options = driver.versions.map(({ number }) => ({ value: String(number), label: `v${number}` }))
  return (
    <Section
      title={t('drivers.versions.comparison')}
      flush
      actions={
        <Group gap={8}>
          <Select
            w={96}
            size="xs"
            aria-label={t('drivers.versions.left')}
            data={options}
            value={String(leftNumber)}
            onChange={(number) => props.onPair([Number(number), rightNumber])}
            allowDeselect={false}
          />
          <Select
            w={96}
            size="xs"
            aria-label={t('drivers.versions.right')}
            data={options}
            value={String(rightNumber)}
            onChange={(number) => props.onPair([leftNumber, Number(number)])}
            allowDeselect={false}
          />
        </Group>
      }
    >
      {left.isError || right.isError ? (
        <ErrorState error={left.error ?? right.error} compact />
      ) : left.data && right.data ? (
        <Diff before={left.data} after={right.data} label={t('drivers.versions.comparison')} />
      ) : (
        <Loading />
      )}
    </Section>
  )
}

interface DiffProps {
  before: Driver
  after: Driver
  /** what is compared, for screen readers */
  label: string
}

/** All differences of two versions, as text. */
export function Diff({ before, after, label }: DiffProps) {
  const { t } = useTranslation()
  const sources = { before: sourceOf(before), after: sourceOf(after) }
  const others = (['variables', 'golden', 'health', 'downlinks'] as const).filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  )
  if (sources.before === sources.after && others.length === 0)
    return (
      <Text size="sm" c="dimmed" p="md">
        {t('drivers.versions.same')}
      </Text>
    )
  return (
    <>
      {others.length > 0 ? (
        <Text size="sm" px="md" pt="xs">
          {t('drivers.versions.alsoChanged', {
            what: others.map((key) => t(`drivers.tab.${key}`)).join(', '),
          })}
        </Text>
      ) : null}
      <TextDiff
        {...sources}
        label={label}
        caption={`${formatTime(versionTime(before))} → ${formatTime(versionTime(after))}`}
      />
      {others.includes('health') ? (
        <TextDiff
          label={`${label}: ${t('drivers.tab.health')}`}
          before={JSON.stringify(before.health, null, 2)}
          after={JSON.stringify(after.health, null, 2)}
          caption={t('drivers.tab.health')}
        />
      ) : null}
      {others.includes('downlinks') ? (
        <TextDiff
          label={`${label}: ${t('drivers.tab.downlinks')}`}
          before={JSON.stringify(before.downlinks, null, 2)}
          after={JSON.stringify(after.downlinks, null, 2)}
          caption={t('drivers.tab.downlinks')}
        />
      ) : null}
    </>
  )
}

function versionTime(driver: Driver): string {
  return driver.versions.find(({ number }) => number === driver.number)?.createdAt ?? driver.updatedAt
}
