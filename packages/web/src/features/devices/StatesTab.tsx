import { Button, Stack, Table, Text, UnstyledButton } from '@mantine/core'
import { IconStethoscope } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/Icon.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { ScrollBox } from '../../ui/ScrollBox.tsx'
import { Section } from '../../ui/Section.tsx'
import { HistoryDialog, StateTiles, StateValue, useStates } from '../twins/index.ts'
import classes from './devices.module.css'
import type { Device, DeviceState } from './queries.ts'

/** What the device measures: tiles to look at, the same as a table to read. */
export function StatesTab({ device }: { device: Device }) {
  const { t } = useTranslation()
  const [, update] = useUrlSearch()
  const states = useStates(device.id).data?.items ?? []
  const [history, setHistory] = useState<DeviceState | null>(null)
  return (
    <Stack gap="md">
      <StateTiles
        objectId={device.id}
        title={device.title}
        editable={device.editable}
        emptyAction={
          <Button
            variant="default"
            leftSection={<Icon of={IconStethoscope} />}
            onClick={() => update({ tab: 'diagnosis' }, { push: true })}
          >
            {t('devices.tab.diagnosis')}
          </Button>
        }
      />
      {states.length > 0 ? (
        <Section title={t('devices.states.table')} flush>
          <ScrollBox label={t('devices.states.table')}>
            <Table verticalSpacing={8} horizontalSpacing="md">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('devices.states.title')}</Table.Th>
                  <Table.Th>{t('devices.states.key')}</Table.Th>
                  <Table.Th>{t('devices.states.value')}</Table.Th>
                  <Table.Th>{t('devices.states.time')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {states.map((state) => (
                  <Table.Tr key={state.id}>
                    <Table.Td>
                      <UnstyledButton className={classes.rowButton ?? ''} onClick={() => setHistory(state)}>
                        {state.title}
                      </UnstyledButton>
                    </Table.Td>
                    <Table.Td>
                      <span className={classes.mono}>{state.key}</span>
                    </Table.Td>
                    <Table.Td>
                      <StateValue state={state} />
                    </Table.Td>
                    <Table.Td>
                      <RelativeTime time={state.time} empty={t('devices.never')} dimmed />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </ScrollBox>
          <Text size="xs" c="dimmed" p="md" pt="xs">
            {t('devices.states.hint')}
          </Text>
        </Section>
      ) : null}
      {history ? (
        <HistoryDialog state={history} objectTitle={device.title} onClose={() => setHistory(null)} />
      ) : null}
    </Stack>
  )
}
