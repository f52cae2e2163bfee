import { Group, Kbd, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import i18next from 'i18next'
import { useTranslation } from 'react-i18next'

/** Second keys after `g` and where they lead. */
export const sequences: readonly { key: string; to: string; label: string }[] = [
  { key: 'h', to: '/home', label: 'screens.home.title' },
  { key: 'd', to: '/dashboards', label: 'screens.dashboards.title' },
  { key: 't', to: '/digitaltwin-mgmt', label: 'screens.twins.title' },
  { key: 'v', to: '/virtual-devices', label: 'screens.devices.title' },
]

/** Shows the list of shortcuts. */
export function openShortcutHelp(): void {
  modals.open({ modalId: 'shortcuts', title: i18next.t('shortcuts.title'), children: <ShortcutList /> })
}

function ShortcutList() {
  const { t } = useTranslation()
  const rows: { keys: string[]; label: string }[] = [
    { keys: [t('palette.keys')], label: t('palette.open') },
    { keys: ['/'], label: t('shortcuts.search') },
    { keys: ['?'], label: t('shortcuts.title') },
    { keys: [t('shortcuts.saveKeys')], label: t('shortcuts.save') },
    ...sequences.map(({ key, label }) => ({ keys: ['g', key], label: t(label) })),
  ]
  return (
    <Stack gap={10}>
      {rows.map(({ keys, label }) => (
        <Group key={label} justify="space-between" wrap="nowrap">
          <Text size="sm">{label}</Text>
          <Group gap={4} wrap="nowrap">
            {keys.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </Group>
        </Group>
      ))}
    </Stack>
  )
}
