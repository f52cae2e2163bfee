import { Button, Group, Modal, NumberInput, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Loading } from '../../ui/feedback/Loading.tsx'
import classes from './floors.module.css'
import type { Prepared } from './pictures.ts'

interface ChoosePageProps {
  pages: Extract<Prepared, { kind: 'pages' }> | undefined
  busy: boolean
  onClose: () => void
  onChoose: (number: number) => void
}

/** Asks for the page of a PDF, and shows it. */
export function ChoosePage({ pages, busy, onClose, onChoose }: ChoosePageProps) {
  const { t } = useTranslation()
  const [number, setNumber] = useState(1)
  const [url, setUrl] = useState<string>()
  const [isUnreadable, setUnreadable] = useState(false)
  useEffect(() => {
    if (pages) setNumber(1)
  }, [pages])
  useEffect(() => {
    if (!pages) return undefined
    let made: string | undefined
    let isOver = false
    setUrl(undefined)
    setUnreadable(false)
    pages
      .page(number)
      .then((file) => {
        if (isOver) return
        made = URL.createObjectURL(file)
        setUrl(made)
      })
      .catch(() => {
        if (!isOver) setUnreadable(true)
      })
    return () => {
      isOver = true
      if (made) URL.revokeObjectURL(made)
    }
  }, [pages, number])
  return (
    <Modal opened={pages !== undefined} onClose={onClose} title={t('floors.page.title')} size="lg">
      <Stack gap="md">
        <NumberInput
          label={t('floors.page.number')}
          description={t('floors.page.of', { count: pages?.count ?? 1 })}
          min={1}
          max={pages?.count ?? 1}
          allowDecimal={false}
          clampBehavior="strict"
          value={number}
          onChange={(value) => {
            if (typeof value === 'number' && value >= 1) setNumber(value)
          }}
          data-autofocus
        />
        <div className={classes.preview}>
          {url ? (
            <img src={url} alt={t('floors.page.picture', { number })} className={classes.previewImage} />
          ) : isUnreadable ? (
            <Text size="sm" c="var(--health-error)" role="alert">
              {t('floors.faults.unreadable')}
            </Text>
          ) : (
            <Loading lines={6} />
          )}
        </div>
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button loading={busy} onClick={() => onChoose(number)}>
            {t('floors.page.use')}
          </Button>
        </Group>
        <Text size="xs" c="dimmed">
          {t('floors.page.hint')}
        </Text>
      </Stack>
    </Modal>
  )
}
