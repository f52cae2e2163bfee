import { Button, Group, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { IconArrowsDiff, IconRocket, IconRosetteDiscountCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { StatusBadge } from '../../../ui/display/Badges.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RelativeTime } from '../../../ui/display/RelativeTime.tsx'
import { ScrollBox } from '../../../ui/page/ScrollBox.tsx'
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
        <ScrollBox label={t('drivers.versions.title')}>
          <Table verticalSpacing={8} horizontalSpacing="md" miw={{ base: 0, xs: 640 }}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('drivers.versions.number')}</Table.Th>
                <Table.Th>{t('drivers.versions.note')}</Table.Th>
                <Table.Th visibleFrom="xs">{t('drivers.versions.by')}</Table.Th>
                <Table.Th visibleFrom="xs">{t('drivers.versions.at')}</Table.Th>
                <Table.Th visibleFrom="xs">
                  <VisuallyHidden>{t('drivers.versions.actions')}</VisuallyHidden>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {versions.map((version) => {
                const live = version.number === driver.publishedVersion
                // At the end of the row, on a phone below the note.
                const actions = (
                  <>
                    {newest && version.number !== newest.number ? (
                      <Button
                        size="compact-sm"
                        variant="subtle"
                        leftSection={<Icon of={IconArrowsDiff} size={14} />}
                        onClick={() => setPair([version.number, newest.number])}
                      >
                        {t('drivers.versions.compare')}
                      </Button>
                    ) : null}
                    {driver.editable && !live ? (
                      <Button
                        size="compact-sm"
                        variant="default"
                        leftSection={<Icon of={IconRocket} size={14} />}
                        onClick={() => setAsked(version.number)}
                      >
                        {t(
                          driver.publishedVersion !== null && version.number < driver.publishedVersion
                            ? 'drivers.versions.back'
                            : 'drivers.versions.publish',
                        )}
                      </Button>
                    ) : null}
                  </>
                )
                return (
                  <Table.Tr key={version.number}>
                    <Table.Td>
                      <Group gap="4px 8px">
                        <b>v{version.number}</b>
                        {live ? <StatusBadge tone="ok" label={t('drivers.versions.live')} /> : null}
                      </Group>
                    </Table.Td>
                    <Table.Td style={{ overflowWrap: 'anywhere' }}>
                      {version.note || '–'}
                      <Text size="xs" c="dimmed" hiddenFrom="xs">
                        <RelativeTime time={version.createdAt} />
                      </Text>
                      <Group gap={6} mt={4} hiddenFrom="xs">
                        {actions}
                      </Group>
                    </Table.Td>
                    <Table.Td visibleFrom="xs">
                      {version.delivered ? (
                        <StatusBadge
                          tone="accent"
                          icon={IconRosetteDiscountCheck}
                          label={t('drivers.delivered')}
                        />
                      ) : (
                        version.createdBy
                      )}
                    </Table.Td>
                    <Table.Td visibleFrom="xs">
                      <RelativeTime time={version.createdAt} />
                    </Table.Td>
                    <Table.Td ta="right" visibleFrom="xs">
                      <Group gap={6} justify="flex-end">
                        {actions}
                      </Group>
                    </Table.Td>
                  </Table.Tr>
                )
              })}
            </Table.Tbody>
          </Table>
        </ScrollBox>
      </Section>
      {driver.delivered ? null : <Acceptances driver={driver} />}
      {pair ? <Comparison driver={driver} pair={pair} onPair={setPair} /> : null}
      <PublishDialog driver={driver} number={asked} onClose={() => setAsked(null)} />
    </Stack>
  )
}
