import { Feedback, feedbackLimits, feedbackPictureTypes } from '@leitstand/contract/feedback'
import { Button, FileButton, Group, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { IconPhotoPlus, IconSend, IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { formatBytes } from '../../lib/format.ts'
import { check } from '../../lib/validation.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { applyFieldIssues } from '../../ui/forms/FormLayout.tsx'
import { RemoveButton } from '../../ui/forms/RemoveButton.tsx'
import { useCheckedForm } from '../../ui/forms/useCheckedForm.ts'
import { useUnsavedGuard } from '../../ui/forms/useLeave.tsx'
import { Section } from '../../ui/page/Section.tsx'
import classes from './feedback.module.css'

interface Values extends Record<string, unknown> {
  kind: 'bug' | 'wish'
  subject: string
  content: string
  files: File[]
}

const { subjectLengthMax, picturesMax, picturesBytesMax } = feedbackLimits

/** Sends feedback to the platform's administrators; the text is kept until it is sent. */
export function FeedbackForm() {
  const { t } = useTranslation()
  const form = useCheckedForm<Values>({
    initialValues: { kind: 'bug', subject: '', content: '', files: [] },
    validate: (values) => {
      const bytes = values.files.reduce((sum, { size }) => sum + size, 0)
      const tooLarge = t('feedback.tooLarge', { size: formatBytes(picturesBytesMax) })
      return { ...check(Feedback)(values), ...(bytes > picturesBytesMax ? { files: tooLarge } : {}) }
    },
  })
  const [failure, setFailure] = useState<unknown>(null)
  const send = useMutation({
    mutationFn: ({ kind, ...rest }: Values) => client.feedback.send({ ...rest, bug: kind === 'bug' }),
    onMutate: () => setFailure(null),
    onError: (error) => setFailure(applyFieldIssues(form, error) ? error : null),
    onSuccess: () => {
      form.reset()
      notifySuccess(t('feedback.sent'))
    },
  })
  const guard = useUnsavedGuard(form.isDirty() && !send.isPending)
  const { files, kind } = form.values
  return (
    <Section title={t('feedback.title')} description={t('feedback.hint')}>
      <form noValidate onSubmit={form.onSubmit((values) => send.mutate(values))}>
        <Stack gap="md" maw={660}>
          <SegmentedControl
            className={classes.kind ?? ''}
            aria-label={t('feedback.kind')}
            data={(['bug', 'wish'] as const).map((value) => ({ value, label: t(`feedback.${value}`) }))}
            {...form.getInputProps('kind')}
          />
          <TextInput
            label={t('feedback.subject')}
            maxLength={subjectLengthMax}
            {...form.getInputProps('subject')}
          />
          <Textarea
            label={t('feedback.content')}
            description={t(`feedback.contentHint.${kind}`)}
            required
            autosize
            minRows={4}
            maxRows={14}
            {...form.getInputProps('content')}
          />
          <div>
            {files.length === 0 ? null : (
              <ul className={classes.pictures}>
                {files.map((file, index) => (
                  <li key={`${file.name} ${file.size} ${file.lastModified}`}>
                    <Text span size="sm" truncate>
                      {file.name}
                    </Text>
                    <Text span size="xs" c="dimmed">
                      {formatBytes(file.size)}
                    </Text>
                    <RemoveButton
                      icon={IconX}
                      label={t('feedback.removePicture', { name: file.name })}
                      onClick={() => form.removeListItem('files', index)}
                    />
                  </li>
                ))}
              </ul>
            )}
            <Group gap={12}>
              <FileButton
                multiple
                accept={feedbackPictureTypes.join(',')}
                onChange={(chosen) =>
                  form.setFieldValue('files', [...files, ...chosen].slice(0, picturesMax))
                }
              >
                {(props) => (
                  <Button
                    {...props}
                    variant="default"
                    size="compact-md"
                    leftSection={<Icon of={IconPhotoPlus} />}
                    disabled={files.length >= picturesMax}
                  >
                    {t('feedback.addPictures')}
                  </Button>
                )}
              </FileButton>
              <Text size="xs" c="dimmed">
                {t('feedback.picturesHint', { size: formatBytes(picturesBytesMax) })}
              </Text>
            </Group>
            {form.errors.files ? (
              <Text size="sm" c="var(--health-error)" role="alert" mt={6}>
                {form.errors.files}
              </Text>
            ) : null}
          </div>
          {failure === null ? null : <ErrorText error={failure} />}
          <Button
            type="submit"
            loading={send.isPending}
            leftSection={<Icon of={IconSend} />}
            style={{ alignSelf: 'start' }}
          >
            {t('feedback.send')}
          </Button>
        </Stack>
      </form>
      {guard}
    </Section>
  )
}
