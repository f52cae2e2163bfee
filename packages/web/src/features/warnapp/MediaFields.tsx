import {
  type WarnMediaRole,
  type WarnMonitor,
  warnMediaRoles,
  warnMediaTypes,
} from '@leitstand/contract/warnapp'
import { Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { IconPhoto, IconTrash, IconVolume } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatBytes } from '../../lib/format.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { urlOf, useMedia } from './media.ts'
import classes from './warnapp.module.css'

const icons = { image: IconPhoto, sound: IconVolume } as const

/** Image and sound of a stored monitor; each change is stored at once. */
export function MediaFields({
  monitor,
  onChange,
}: {
  monitor: WarnMonitor
  onChange: (monitor: WarnMonitor) => void
}) {
  const { t } = useTranslation()
  return (
    <Section title={t('warnapp.field.media')} description={t('warnapp.mediaHint')}>
      <Stack gap="md">
        {warnMediaRoles.map((role) => (
          <Medium key={role} role={role} monitor={monitor} onChange={onChange} />
        ))}
      </Stack>
    </Section>
  )
}

function Medium({
  role,
  monitor,
  onChange,
}: {
  role: WarnMediaRole
  monitor: WarnMonitor
  onChange: (monitor: WarnMonitor) => void
}) {
  const { t } = useTranslation()
  const media = monitor[role]
  const urls = useMedia(media === null ? [] : [{ id: monitor.id, role, media }])
  const url = urlOf(urls, monitor.id, role, media)
  const store = useMutation(api.isWarnapp.setMedia.mutationOptions({ onSuccess: onChange }))
  const remove = useMutation(api.isWarnapp.removeMedia.mutationOptions({ onSuccess: onChange }))
  const error = store.error ?? remove.error
  const isBusy = store.isPending || remove.isPending
  return (
    <div>
      <Text fw={550}>{t(`warnapp.${role}`)}</Text>
      <Text size="sm" c="dimmed">
        {media === null ? t(`warnapp.without.${role}`) : `${media.name} · ${formatBytes(media.size)}`}
      </Text>
      {role === 'image' && url ? <img className={classes.image} src={url} alt={media?.name ?? ''} /> : null}
      {role === 'sound' && url ? (
        <audio className={classes.sound} src={url} controls aria-label={media?.name}>
          <track kind="captions" />
        </audio>
      ) : null}
      <Group gap={8} mt={8}>
        <FileButton
          accept={warnMediaTypes[role].join(',')}
          onChange={(file) => file && store.mutate({ id: monitor.id, role, file })}
        >
          {(props) => (
            <Button {...props} variant="default" loading={isBusy} leftSection={<Icon of={icons[role]} />}>
              {t(`warnapp.upload.${role}`)}
            </Button>
          )}
        </FileButton>
        {media === null ? null : (
          <Button
            variant="subtle"
            color="red"
            disabled={isBusy}
            leftSection={<Icon of={IconTrash} />}
            onClick={() => remove.mutate({ id: monitor.id, role })}
          >
            {t(`warnapp.remove.${role}`)}
          </Button>
        )}
      </Group>
      {error === null ? null : <ErrorText error={error} />}
    </div>
  )
}
