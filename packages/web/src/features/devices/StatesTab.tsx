import { Button, Stack, Text } from '@mantine/core'
import { IconStethoscope } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { SlotParts } from '../../ui/page/SlotParts.tsx'
import { StatesTab as StatesTable, StateTiles, useStates } from '../twins/index.ts'
import type { Device } from './queries.ts'
import { deviceNotices } from './slots.ts'

/** The device's open alarms, its states: their values as tiles, and a table of the states to edit. */
export function StatesTab({ device }: { device: Device }) {
  const { t } = useTranslation()
  const [, update] = useUrlSearch()
  const states = useStates(device.id).data?.items ?? []
  const own = { objectId: device.id, title: device.title, editable: device.editable }
  return (
    <Stack gap="md">
      <SlotParts slot={deviceNotices} props={{ device }} />
      <StateTiles
        {...own}
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
        <>
          <StatesTable {...own} accountId={device.accountId} category="virtualDevice" besideTiles />
          <Text size="xs" c="dimmed">
            {t(device.templateId === null ? 'devices.states.hint' : 'templates.statesOfDevice')}
          </Text>
        </>
      ) : null}
    </Stack>
  )
}
