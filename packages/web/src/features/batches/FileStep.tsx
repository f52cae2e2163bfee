import { Alert, Button, FileButton, Flex, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { SimpleTable } from '../../ui/list/SimpleTable.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { type ColumnChoice, type ColumnFields, columnFault, namedTargets } from './columns.ts'

const megabytesMax = 10

interface Uploaded {
  fileName: string
  rows: number
  columns: readonly { title: string; examples: string[] }[]
}

interface FileStepProps<Upload extends Uploaded, Target extends string> {
  send: (file: File) => Promise<Upload>
  fields: ColumnFields<Target>
  upload: Upload | undefined
  choices: readonly ColumnChoice<Target>[]
  /** "Next" was pressed */
  asked: boolean
  onUpload: (upload: Upload | undefined) => void
  onChange: (choices: ColumnChoice<Target>[]) => void
  /** beside the button that selects the file */
  children?: ReactNode
}

/** Selects the file and maps its columns. */
export function FileStep<Upload extends Uploaded, Target extends string>(
  props: FileStepProps<Upload, Target>,
) {
  const { t } = useTranslation()
  const { upload, asked, onUpload } = props
  const send = useMutation({
    mutationFn: props.send,
    onMutate: () => onUpload(undefined),
    onSuccess: (uploaded) => onUpload(uploaded),
  })
  const chosen = send.variables
  const tooLarge = chosen !== undefined && chosen.size > megabytesMax * 1_048_576
  return (
    <Stack gap="lg">
      <Section
        title={t('bulk.import.file')}
        description={t('bulk.import.fileHint', { megabytes: megabytesMax })}
      >
        <Stack gap="sm">
          <Group gap="md">
            <FileButton
              accept=".csv,.txt,.tsv,.xlsx"
              onChange={(file) => (file ? send.mutate(file) : undefined)}
            >
              {(button) => (
                <Button {...button} leftSection={<Icon of={IconUpload} size={16} />} loading={send.isPending}>
                  {t('bulk.import.choose')}
                </Button>
              )}
            </FileButton>
            {props.children}
            {upload ? (
              <Text>
                {upload.fileName} · {t('bulk.import.rows', { count: upload.rows })}
              </Text>
            ) : null}
          </Group>
          {send.isError ? (
            tooLarge ? (
              <Alert color="red">{t('bulk.import.fileTooLarge', { megabytes: megabytesMax })}</Alert>
            ) : (
              <ErrorText error={send.error} />
            )
          ) : asked && !upload && !send.isPending ? (
            <Alert color="red">{t('bulk.import.fileMissing')}</Alert>
          ) : null}
        </Stack>
      </Section>
      {upload ? <Columns {...props} upload={upload} /> : null}
    </Stack>
  )
}

type ColumnsProps<Target extends string> = Pick<
  FileStepProps<Uploaded, Target>,
  'choices' | 'asked' | 'onChange' | 'fields'
> & { upload: Uploaded }

function Columns<Target extends string>(props: ColumnsProps<Target>) {
  const { t } = useTranslation()
  const { upload, choices, asked, onChange, fields } = props
  const change = (at: number, changed: Partial<ColumnChoice<Target>>) =>
    onChange(choices.map((each, index) => (index === at ? { ...each, ...changed } : each)))
  return (
    <Section title={t('bulk.import.columns')} description={t(fields.hint)} flush>
      {asked ? <Fault choices={choices} fields={fields} /> : null}
      <SimpleTable
        label={t('bulk.import.columns')}
        rows={upload.columns}
        // A file may name two columns alike; they never change places.
        rowKey={(_, at) => at}
        inset="md"
        minWidth={620}
        columns={[
          {
            key: 'column',
            title: t('bulk.import.column'),
            wraps: true,
            render: ({ title }) => <b>{title}</b>,
          },
          {
            key: 'examples',
            title: t('bulk.import.examples'),
            wraps: true,
            render: ({ examples }) => (
              <Text span inherit c="dimmed">
                {examples.join(', ')}
              </Text>
            ),
          },
          {
            key: 'field',
            title: t('bulk.import.field'),
            render: ({ title }, at) => (
              <Choice
                column={title}
                choice={choices[at]}
                fields={fields}
                onChange={(changed) => change(at, changed)}
              />
            ),
          },
        ]}
      />
    </Section>
  )
}

const targetText = (t: TFunction, target: string) => t(`bulk.import.target.${target}`)

function Choice<Target extends string>(props: {
  column: string
  choice: ColumnChoice<Target> | undefined
  fields: ColumnFields<Target>
  onChange: (changed: Partial<ColumnChoice<Target>>) => void
}) {
  const { t } = useTranslation()
  const { column, choice = { target: '', name: '' }, fields, onChange } = props
  const { targets, formats } = fields
  return (
    <Flex gap={8} direction={{ base: 'column', xs: 'row' }}>
      <Select
        w={{ base: 172, xs: 230 }}
        aria-label={t('bulk.import.fieldOf', { column })}
        placeholder={t('bulk.import.skip')}
        clearable
        searchable
        data={targets.map((target) => ({ value: target, label: targetText(t, target) }))}
        value={choice.target === '' ? null : choice.target}
        onChange={(value) => onChange({ target: targets.find((each) => each === value) ?? '' })}
        nothingFoundMessage={t('common.nothingFound')}
      />
      {namedTargets.includes(choice.target) ? (
        <>
          <TextInput
            w={{ base: 172, xs: 160 }}
            aria-label={t('bulk.import.nameOf', { column })}
            maxLength={100}
            value={choice.name}
            onChange={(event) => onChange({ name: event.currentTarget.value })}
          />
          {formats ? (
            <Select
              w={{ base: 172, xs: 130 }}
              aria-label={t('bulk.import.formatOf', { column })}
              allowDeselect={false}
              data={formats.map((format) => ({ value: format, label: t(`bulk.import.format.${format}`) }))}
              value={choice.format ?? 'text'}
              onChange={(value) => onChange({ format: formats.find((each) => each === value) ?? 'text' })}
            />
          ) : null}
        </>
      ) : null}
    </Flex>
  )
}

function Fault<Target extends string>(props: {
  choices: readonly ColumnChoice<Target>[]
  fields: ColumnFields<Target>
}) {
  const { t } = useTranslation()
  const fault = columnFault(props.choices, props.fields)
  if (fault === null) return null
  const fields = 'fields' in fault ? fault.fields.map((each) => targetText(t, each)).join(', ') : ''
  return (
    <Alert color="red" m="md">
      {t(`bulk.import.${fault.key}`, { fields })}
    </Alert>
  )
}
