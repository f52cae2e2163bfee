import {
  type MailTemplate,
  type MailTemplateFault,
  MailTemplateWords,
  mailTemplateLimits,
} from '@leitstand/contract/mailTemplates'
import { Alert, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconLock, IconRestore, IconSend } from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { check } from '../../../lib/validation.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ConfirmDanger } from '../../../ui/feedback/ConfirmDanger.tsx'
import { ErrorText } from '../../../ui/feedback/ErrorText.tsx'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { FormLayout } from '../../../ui/forms/FormLayout.tsx'
import { useCheckedForm } from '../../../ui/forms/useCheckedForm.ts'
import { useSyncedForm } from '../../../ui/forms/useSyncedForm.ts'
import { Section } from '../../../ui/page/Section.tsx'
import { inserted } from './inserted.ts'
import classes from './mailTemplates.module.css'
import { TemplatePreview } from './TemplatePreview.tsx'
import { Variables } from './Variables.tsx'

/** The preview waits for a pause in typing. */
const settleMs = 400
const checkWords = check(MailTemplateWords)
const wordsOf = ({ subject, body }: MailTemplateWords): MailTemplateWords => ({ subject, body })

interface TemplateFormProps {
  accountId: number
  template: MailTemplate
}

/** The words of an email in one language; beside them how it will look. */
export function TemplateForm({ accountId, template }: TemplateFormProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { id, language, maySet } = template
  const form = useCheckedForm<MailTemplateWords>({ initialValues: wordsOf(template), validate: checkWords })
  const { version, accept } = useSyncedForm(form, template, wordsOf)
  const [isResetting, setResetting] = useState(false)
  const fields = { subject: useRef<HTMLInputElement>(null), body: useRef<HTMLTextAreaElement>(null) }
  const last = useRef<'subject' | 'body'>('body')
  const words = form.values
  const [settled] = useDebouncedValue(words, settleMs)
  const which = { id, accountId, language }
  const preview = useQuery({
    ...api.mailTemplate.render.queryOptions({
      input: { ...which, ...settled },
      placeholderData: keepPreviousData,
      staleTime: 60_000,
      retry: false,
    }),
    enabled: settled.body.length <= mailTemplateLimits.bodyLengthMax,
  })
  const test = useMutation({
    mutationFn: () => client.mailTemplate.test({ ...which, ...words }),
    onSuccess: ({ sentTo }) => notifySuccess(t('mailTemplates.sentNote', { address: sentTo })),
  })
  const took = async (after: MailTemplate, note: string) => {
    cache.setQueryData(api.mailTemplate.get.queryKey({ input: { id, accountId, language } }), after)
    accept(after)
    notifySuccess(note)
    await cache.invalidateQueries({ queryKey: api.mailTemplate.list.key() })
  }
  const save = async (values: MailTemplateWords) => {
    await took(await client.mailTemplate.save({ ...which, version, ...values }), t('mailTemplates.savedNote'))
  }
  const reset = async () => {
    await took(await client.mailTemplate.reset(which), t('mailTemplates.resetNote'))
  }
  const insert = (text: string) => {
    const field = fields[last.current].current
    const { value, caret } = inserted(words[last.current], text, field)
    form.setFieldValue(last.current, value)
    // Once the new text is in the field.
    requestAnimationFrame(() => {
      field?.focus()
      field?.setSelectionRange(caret, caret)
    })
  }
  const errorOf = (name: 'subject' | 'body') => {
    const { error } = form.getInputProps(name) as { error?: string }
    const faults = preview.data?.faults.filter(({ field }) => field === name) ?? []
    return error ?? (faults.length === 0 ? undefined : faults.map((fault) => faultText(fault, t)).join('\n'))
  }
  return (
    <FormLayout form={form} onSave={save}>
      <div className={classes.beside}>
        <Stack gap="md">
          <Section
            title={t('mailTemplates.words')}
            actions={
              <>
                {template.state === 'own' ? (
                  <Button
                    variant="default"
                    leftSection={<Icon of={IconRestore} />}
                    onClick={() => setResetting(true)}
                  >
                    {t('mailTemplates.reset')}
                  </Button>
                ) : null}
                <Button
                  variant="default"
                  leftSection={<Icon of={IconSend} />}
                  loading={test.isPending}
                  onClick={() => test.mutate()}
                >
                  {t('mailTemplates.test')}
                </Button>
              </>
            }
          >
            <Stack gap="md">
              {maySet ? null : <Alert icon={<Icon of={IconLock} />}>{t('mailTemplates.onlyTopmost')}</Alert>}
              <TextInput
                label={t('mailTemplates.field.subject')}
                required
                autoComplete="off"
                maxLength={mailTemplateLimits.subjectLengthMax}
                readOnly={!maySet}
                ref={fields.subject}
                {...form.getInputProps('subject')}
                onFocus={() => {
                  last.current = 'subject'
                }}
                error={errorOf('subject')}
              />
              <Textarea
                label={t('mailTemplates.field.body')}
                description={t('mailTemplates.bodyHint')}
                required
                autosize
                minRows={12}
                maxRows={30}
                maxLength={mailTemplateLimits.bodyLengthMax}
                readOnly={!maySet}
                ref={fields.body}
                classNames={{ input: classes.body ?? '', error: classes.faults ?? '' }}
                {...form.getInputProps('body')}
                onFocus={() => {
                  last.current = 'body'
                }}
                error={errorOf('body')}
              />
              {test.isError ? <ErrorText error={test.error} /> : null}
            </Stack>
          </Section>
          <Variables variables={template.variables} onInsert={maySet ? insert : undefined} />
        </Stack>
        <TemplatePreview
          mail={preview.data?.mail ?? null}
          data={preview.data?.data}
          isWrong={(preview.data?.faults.length ?? 0) > 0}
          error={preview.error}
          onRetry={() => void preview.refetch()}
        />
      </div>
      <ConfirmDanger
        opened={isResetting}
        onClose={() => setResetting(false)}
        title={t('mailTemplates.resetTitle')}
        text={t('mailTemplates.resetText')}
        confirmLabel={t('mailTemplates.reset')}
        onConfirm={reset}
      >
        <Group gap={4}>
          <Text size="sm" fw={500}>
            {template.inherited.subject}
          </Text>
          <Text size="sm" className={classes.plain}>
            {template.inherited.body}
          </Text>
        </Group>
      </ConfirmDanger>
    </FormLayout>
  )
}

/** What is wrong, with its place. */
function faultText({ code, name, line, column }: MailTemplateFault, t: TFunction): string {
  const text = t(`mailTemplates.fault.${code}`, { name: name ?? '' })
  return line === null ? text : t('mailTemplates.faultAt', { text, line, column })
}
