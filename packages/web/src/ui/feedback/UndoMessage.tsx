import { Button, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** A notice with an undo button. */
export function UndoMessage({ text, onUndo }: { text: string; onUndo: () => void }) {
  const { t } = useTranslation()
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Text size="sm">{text}</Text>
      <Button size="compact-sm" variant="light" flex="none" onClick={onUndo}>
        {t('common.undo')}
      </Button>
    </Group>
  )
}
