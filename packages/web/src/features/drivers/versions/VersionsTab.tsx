import { Button, Group, Stack } from '@mantine/core'
import { IconArrowsDiff, IconRocket, IconRosetteDiscountCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { StatusBadge } from '../../../ui/display/Badges.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RelativeTime } from '../../../ui/display/RelativeTime.tsx'
import { SimpleTable } from '../../../ui/list/SimpleTable.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { SlotParts } from '../../../ui/page/SlotParts.tsx'
import type { Driver } from '../queries.ts'
import { versionActions } from '../slots.ts'
import { Acceptances } from './Acceptances.tsx'
import { Comparison } from './Comparison.tsx'
import { PublishDialog } from './PublishDialog.tsx'
import { firstPair } from './shown.ts'

/** The versions of a driver: the one in use, the changes between two, and reverting to an older one. */
export function VersionsTab({ driver }: { driver: Driver }) {
  const { t } = useTranslation()
  const [asked, setAsked] = useState<number | null>(null)
  const versions = [...driver.versions].sort((a, b) => b.number - a.number)
  const [newest] = versions
  const [pair, setPair] = useState<[number, number] | null>(firstPair(driver))
  return (
    <Stack gap="md">
      <Section
        title={t('drivers.versions.title')}
        description={t('drivers.versions.text')}
        flush
        actions={driver.deviceCount > 0 ? <SlotParts slot={versionActions} props={{ driver }} /> : undefined}
      >
        <SimpleTable
          label={t('drivers.versions.title')}
          rows={versions}
          rowKey={({ number }) => number}
          inset="md"
          minWidth={640}
          columns={[
            {
              key: 'number',
              title: t('drivers.versions.number'),
              render: ({ number }) => (
                <Group gap="4px 8px">
                  <b>v{number}</b>
                  {number === driver.publishedVersion ? (
                    <StatusBadge tone="ok" label={t('drivers.versions.live')} />
                  ) : null}
                </Group>
              ),
            },
            {
              key: 'note',
              title: t('drivers.versions.note'),
              wraps: true,
              render: ({ note }) => note || '–',
            },
            {
              key: 'by',
              title: t('drivers.versions.by'),
              render: (version) =>
                version.delivered ? (
                  <StatusBadge tone="accent" icon={IconRosetteDiscountCheck} label={t('drivers.delivered')} />
                ) : (
                  version.createdBy
                ),
            },
            {
              key: 'at',
              title: t('drivers.versions.at'),
              render: ({ createdAt }) => <RelativeTime time={createdAt} />,
            },
            {
              key: 'actions',
              title: t('drivers.versions.actions'),
              card: 'foot',
              align: 'right',
              render: ({ number }) => (
                <VersionActions
                  driver={driver}
                  number={number}
                  onCompare={
                    newest && number !== newest.number ? () => setPair([number, newest.number]) : undefined
                  }
                  onPublish={() => setAsked(number)}
                />
              ),
            },
          ]}
        />
      </Section>
      {driver.delivered ? null : <Acceptances driver={driver} />}
      {pair ? <Comparison driver={driver} pair={pair} onPair={setPair} /> : null}
      <PublishDialog driver={driver} number={asked} onClose={() => setAsked(null)} />
    </Stack>
  )
}

function VersionActions(props: {
  driver: Driver
  number: number
  onCompare: (() => void) | undefined
  onPublish: () => void
}) {
  const { driver, number, onCompare } = props
  const { t } = useTranslation()
  return (
    <Group gap={6}>
      {onCompare ? (
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<Icon of={IconArrowsDiff} size={14} />}
          onClick={onCompare}
        >
          {t('drivers.versions.compare')}
        </Button>
      ) : null}
      {driver.editable && number !== driver.publishedVersion ? (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<Icon of={IconRocket} size={14} />}
          onClick={props.onPublish}
        >
          {t(
            driver.publishedVersion !== null && number < driver.publishedVersion
              ? 'drivers.versions.back'
              : 'drivers.versions.publish',
          )}
        </Button>
      ) : null}
    </Group>
  )
}
