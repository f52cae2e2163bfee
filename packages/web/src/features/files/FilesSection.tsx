import { fileLimits, pictureTypes, type StoredFile } from '@leitstand/contract/files'
import { Button, FileButton, Group, Text } from '@mantine/core'
import { ORPCError } from '@orpc/client'
import { IconFile, IconPhoto, IconPlus, IconUpload } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { formatBytes } from '../../lib/format.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { loadFile, usePicture } from '../../ui/display/pictures.ts'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ConfirmDialog } from '../../ui/feedback/ConfirmDanger.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifyError } from '../../ui/feedback/notify.ts'
import { RemoveButton } from '../../ui/forms/RemoveButton.tsx'
import { download } from '../../ui/list/csv.ts'
import { Section } from '../../ui/page/Section.tsx'
import classes from './files.module.css'
import { filesOf, invalidateFiles, type Target } from './queries.ts'

/**
 * Picture and attachments of a device, a twin or a driver. Each is stored immediately, independent of the
 * surrounding form.
 */
export default function FilesSection({ object, objectId }: Target) {
  const { t } = useTranslation()
  const target = { object, objectId }
  const files = useQuery(filesOf(target))
  const [removing, setRemoving] = useState<StoredFile>()
  const { uploading, upload } = useUpload(target)
  if (files.isError && !files.data)
    return (
      <Section title={t('files.title')}>
        <ErrorState error={files.error} onRetry={() => void files.refetch()} compact />
      </Section>
    )
  if (!files.data)
    return (
      <Section title={t('files.title')}>
        <Loading />
      </Section>
    )
  const { items, editable } = files.data
  const picture = items.find(({ role }) => role === 'picture')
  const attachments = items.filter(({ role }) => role === 'attachment')
  return (
    <Section title={t('files.title')}>
      <div className={classes.columns}>
        <Picture
          picture={picture}
          editable={editable}
          uploading={uploading === 'picture'}
          onUpload={(file) => void upload([file], 'picture')}
          onRemove={setRemoving}
        />
        <div className={classes.attachments}>
          {attachments.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t('files.empty')}
            </Text>
          ) : (
            <ul className={classes.list}>
              {attachments.map((file) => (
                <Attachment key={file.id} file={file} editable={editable} onRemove={setRemoving} />
              ))}
            </ul>
          )}
          {editable ? (
            <Group gap={12}>
              <FileButton multiple onChange={(chosen) => void upload(chosen, 'attachment')}>
                {(props) => (
                  <Button
                    {...props}
                    variant="default"
                    loading={uploading === 'attachment'}
                    disabled={attachments.length >= fileLimits.attachmentsMax}
                    leftSection={<Icon of={IconPlus} size={16} />}
                  >
                    {t('files.add')}
                  </Button>
                )}
              </FileButton>
              <Text size="xs" c="dimmed" className={classes.hint ?? ''}>
                {t('files.hint', {
                  size: formatBytes(fileLimits.fileBytesMax),
                  count: fileLimits.attachmentsMax,
                })}
              </Text>
            </Group>
          ) : null}
        </div>
      </div>
      <RemoveFile target={target} file={removing} onClose={() => setRemoving(undefined)} />
    </Section>
  )
}

/** Uploads one file at a time; reports failures and continues with the others. */
function useUpload(target: Target) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [uploading, setUploading] = useState<StoredFile['role']>()
  const upload = async (chosen: readonly File[], role: StoredFile['role']) => {
    setUploading(role)
    for (const file of chosen) {
      try {
        // Checked before sending: if the server stops reading, the upload looks like a connection error.
        if (file.size > fileLimits.fileBytesMax) throw new ORPCError('BODY_TOO_LARGE', { status: 413 })
        await client.upload.post({ ...target, file, role })
      } catch (error) {
        notifyError(error, t('files.failed', { name: file.name }))
      }
    }
    await invalidateFiles(cache, target)
    setUploading(undefined)
  }
  return { uploading, upload }
}

interface PictureProps {
  picture: StoredFile | undefined
  editable: boolean
  uploading: boolean
  onUpload: (file: File) => void
  onRemove: (file: StoredFile) => void
}

function Picture({ picture, editable, uploading, onUpload, onRemove }: PictureProps) {
  const { t } = useTranslation()
  const { url, error } = usePicture(picture)
  return (
    <div className={classes.picture}>
      <div className={classes.frame}>
        {picture && error ? <ErrorText error={error} /> : null}
        {picture && url ? <img src={url} alt={picture.name} className={classes.image} /> : null}
        {picture ? null : (
          <span className={classes.none}>
            <Icon of={IconPhoto} size={28} />
            {t('files.noPicture')}
          </span>
        )}
      </div>
      {editable ? (
        <Group gap={8} wrap="nowrap">
          <FileButton
            accept={pictureTypes.join(',')}
            onChange={(file) => (file ? onUpload(file) : undefined)}
          >
            {(props) => (
              <Button
                {...props}
                variant="default"
                size="compact-sm"
                loading={uploading}
                leftSection={<Icon of={IconUpload} size={14} />}
              >
                {t(picture ? 'files.replacePicture' : 'files.addPicture')}
              </Button>
            )}
          </FileButton>
          {picture ? (
            <RemoveButton label={t('files.removePicture')} onClick={() => onRemove(picture)} />
          ) : null}
        </Group>
      ) : null}
    </div>
  )
}

interface AttachmentProps {
  file: StoredFile
  editable: boolean
  onRemove: (file: StoredFile) => void
}

function Attachment({ file, editable, onRemove }: AttachmentProps) {
  const { t } = useTranslation()
  const [loading, setLoading] = useState(false)
  const save = async () => {
    setLoading(true)
    try {
      download(file.name, await loadFile(file.id), file.type)
    } catch (error) {
      notifyError(error, t('files.downloadFailed', { name: file.name }))
    } finally {
      setLoading(false)
    }
  }
  return (
    <li className={classes.row}>
      <Icon of={IconFile} size={18} />
      <button
        type="button"
        className={classes.name}
        aria-label={t('files.download', { name: file.name })}
        aria-busy={loading}
        onClick={() => void save()}
      >
        {file.name}
      </button>
      <span className={classes.about}>
        {formatBytes(file.size)} · {file.createdBy} · <RelativeTime time={file.createdAt} />
      </span>
      {editable ? (
        <RemoveButton
          className={classes.remove ?? ''}
          label={t('files.remove', { name: file.name })}
          onClick={() => onRemove(file)}
        />
      ) : null}
    </li>
  )
}

function RemoveFile(props: { target: Target; file: StoredFile | undefined; onClose: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [busy, setBusy] = useState(false)
  const { target, file, onClose } = props
  const remove = async (id: number) => {
    setBusy(true)
    try {
      await client.upload.delete({ id })
      await invalidateFiles(cache, target)
      onClose()
    } catch (error) {
      notifyError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <ConfirmDialog
      opened={file !== undefined}
      title={t('files.removeTitle')}
      text={t('files.removeText', { name: file?.name ?? '' })}
      confirmLabel={t('files.removeConfirm')}
      danger
      busy={busy}
      onConfirm={() => (file ? void remove(file.id) : undefined)}
      onCancel={onClose}
    />
  )
}
