import { Group, Kbd, Modal, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { sequences, shortcutHelpStore } from './shortcutState.ts'

/** The list of shortcuts in a dialog; loaded on first use. */
export default function ShortcutHelp() {
  const { t } = useTranslation()
  return (
    <Modal opened onClose={() => shortcutHelpStore.set(false)} title={t('shortcuts.title')}>
      <ShortcutList />
    </Modal>
  )
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
