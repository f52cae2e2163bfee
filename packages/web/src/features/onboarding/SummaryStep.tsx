import { normaliseExternalId } from '@leitstand/contract/identifiers'
import { Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useAccounts } from '../../ui/accounts/AccountFilter.tsx'
import { TagList } from '../../ui/display/TagList.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { type DeviceValues, useConnector } from '../devices/index.ts'
import type { Template } from '../templates/index.ts'
import { nameTwin } from '../twins/index.ts'

interface SummaryStepProps {
  values: DeviceValues
  accountId: number
  connectorId: number
  /** template of the device */
  template: Template | undefined
}

/** Summary before the device is created. */
export function SummaryStep({ values, accountId, connectorId, template }: SummaryStepProps) {
  const { t } = useTranslation()
  const accounts = useAccounts()
  const connector = useConnector(accountId, connectorId)
  const driver = useQuery({
    ...api.devicedrivers.get.queryOptions({ input: { id: Number(values.driverId ?? 0) } }),
    enabled: values.driverId !== null,
  })
  const parent = useQuery({
    queryKey: ['devices', 'parent-name', values.parentId],
    queryFn: () => nameTwin(values.parentId ?? ''),
    enabled: values.parentId !== null,
  })
  const rows: [string, React.ReactNode][] = [
    [t('devices.field.title'), values.title],
    [t('devices.field.account'), accounts.data?.items.find(({ id }) => id === accountId)?.name],
    [t('devices.field.connector'), connector?.name],
    ...(template ? [[t('devices.field.template'), template.title] as [string, React.ReactNode]] : []),
    [t('devices.field.externalId'), normaliseExternalId(values.externalId)],
    [t('devices.field.driver'), values.driverId === null ? t('devices.wizard.noDriver') : driver.data?.title],
    [t('devices.field.operationalStatus'), t(`operational.${values.operationalStatus}`)],
    [t('devices.field.parent'), values.parentId === null ? '–' : parent.data],
    [t('devices.field.address'), values.address || '–'],
    [
      t('devices.field.position'),
      values.latitude === null || values.latitude === '' ? '–' : `${values.latitude}, ${values.longitude}`,
    ],
    [
      t('devices.field.keyValues'),
      <TagList
        key="pairs"
        tags={Object.entries(values.keyValues).map(([key, value]) => `${key}=${value}`)}
        max={20}
      />,
    ],
    [t('devices.field.tags'), <TagList key="tags" tags={values.tags} max={20} />],
  ]
  const variables = template?.productive?.states ?? driver.data?.variables ?? []
  return (
    <Stack gap="md">
      <Section title={t('devices.wizard.summaryTitle')} flush>
        <Table verticalSpacing={7} horizontalSpacing="md" mt={8}>
          <Table.Tbody>
            {rows.map(([label, value]) => (
              <Table.Tr key={label}>
                <Table.Th scope="row" fw={400} c="dimmed" w={200}>
                  {label}
                </Table.Th>
                <Table.Td>{value}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Section>
      <Text size="sm" c="dimmed">
        {variables.length > 0
          ? t('devices.wizard.willCreateStates', {
              count: variables.length,
              names: variables.map(({ key, title }) => title || key).join(', '),
            })
          : t('devices.wizard.statesLater')}
      </Text>
    </Stack>
  )
}
