import { Button, Group, Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { findTwins } from '../twins/index.ts'

/** The twin of a new monitor. One that has a monitor opens that. */
export default function ChooseTwin({
  onChoose,
  onClose,
}: {
  onChoose: (id: number) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const [twin, setTwin] = useState<string | null>(null)
  return (
    <Modal opened onClose={onClose} title={t('warnapp.create')} centered>
      <Stack gap="md">
        <EntityPicker
          isFirst
          label={t('warnapp.field.twin')}
          description={t('warnapp.twinHint')}
          value={twin}
          onChange={setTwin}
          load={findTwins}
        />
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button disabled={twin === null} onClick={() => onChoose(Number(twin))}>
            {t('warnapp.next')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
