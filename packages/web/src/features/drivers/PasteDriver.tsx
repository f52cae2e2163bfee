import { Alert, Button, Group, List, Stack, Text, Textarea } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { useLeave } from '../../ui/forms/useLeave.tsx'
import { draftStore } from './draft.ts'
import classes from './drivers.module.css'
import { fromJson } from './values.ts'

/** Pastes a driver copied as JSON and opens it as a new, unsaved one. */
export function PasteDriver({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <FormModal opened={opened} onClose={onClose} title={t('drivers.paste.title')} size="lg" centered>
      <PasteForm onClose={onClose} />
    </FormModal>
  )
}

function PasteForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const { close, question } = useLeave(text.trim() !== '', onClose)
  const read = text.trim() === '' ? undefined : fromJson(text)
  const faults = read && 'faults' in read ? Object.entries(read.faults) : []
  const take = () => {
    if (!read || !('values' in read)) return
    draftStore.set(read.values)
    onClose()
    void navigate({ to: '/virtual-device-drivers/new', search: { pasted: '1' }, ignoreBlocker: true })
  }
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t('drivers.paste.text')}
      </Text>
      <Textarea
        label={t('drivers.paste.field')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autosize
        minRows={8}
        maxRows={18}
        spellCheck={false}
        classNames={{ input: classes.mono ?? '' }}
        data-autofocus
      />
      {faults.length > 0 ? (
        <Alert color="red" variant="light" title={t('drivers.paste.wrong')}>
          <List size="sm">
            {faults.slice(0, 8).map(([path, fault]) => (
              <List.Item key={path}>{path ? `${path}: ${fault}` : fault}</List.Item>
            ))}
          </List>
        </Alert>
      ) : null}
      <Group justify="flex-end" gap={8}>
        <Button variant="default" onClick={close}>
          {t('common.cancel')}
        </Button>
        <Button disabled={!read || faults.length > 0} onClick={take}>
          {t('drivers.paste.take')}
        </Button>
      </Group>
      {question}
    </Stack>
  )
}
