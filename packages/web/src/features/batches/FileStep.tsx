import type { BulkUpload } from '@leitstand/contract/bulk'
import { Alert, Button, FileButton, Flex, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { SimpleTable } from '../../ui/list/SimpleTable.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { type ColumnChoice, columnFault, namedTargets, targets } from './columns.ts'

const megabytesMax = 10

interface FileStepProps {
  upload: BulkUpload | undefined
  choices: readonly ColumnChoice[]
  /** "Next" was pressed */
  asked: boolean
  onUpload: (upload: BulkUpload | undefined) => void
  onChange: (choices: ColumnChoice[]) => void
}

/** Selects the file and maps its columns. */
export function FileStep({ upload, choices, asked, onUpload, onChange }: FileStepProps) {
  const { t } = useTranslation()
  const send = useMutation({
    mutationFn: (file: File) => client.bulk.upload({ file }),
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
      {upload ? <Columns upload={upload} choices={choices} asked={asked} onChange={onChange} /> : null}
    </Stack>
  )
}

function Columns(props: Omit<FileStepProps, 'upload' | 'onUpload'> & { upload: BulkUpload }) {
  const { t } = useTranslation()
  const { upload, choices, asked, onChange } = props
  const change = (at: number, changed: Partial<ColumnChoice>) =>
    onChange(choices.map((each, index) => (index === at ? { ...each, ...changed } : each)))
  return (
    <Section title={t('bulk.import.columns')} description={t('bulk.import.columnsHint')} flush>
      {asked ? <Fault choices={choices} /> : null}
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
              <Choice column={title} choice={choices[at]} onChange={(changed) => change(at, changed)} />
            ),
          },
        ]}
      />
    </Section>
  )
}

function Choice(props: {
  column: string
  choice: ColumnChoice | undefined
  onChange: (changed: Partial<ColumnChoice>) => void
}) {
  const { t } = useTranslation()
  const { column, choice = { target: '', name: '' }, onChange } = props
  return (
    <Flex gap={8} direction={{ base: 'column', xs: 'row' }}>
      <Select
        w={{ base: 172, xs: 230 }}
        aria-label={t('bulk.import.fieldOf', { column })}
        placeholder={t('bulk.import.skip')}
        clearable
        searchable
        data={targets.map((target) => ({ value: target, label: t(`bulk.import.target.${target}`) }))}
        value={choice.target === '' ? null : choice.target}
        onChange={(value) => onChange({ target: targets.find((each) => each === value) ?? '' })}
        nothingFoundMessage={t('common.nothingFound')}
      />
      {namedTargets.includes(choice.target) ? (
        <TextInput
          w={{ base: 172, xs: 160 }}
          aria-label={t('bulk.import.nameOf', { column })}
          maxLength={100}
          value={choice.name}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
      ) : null}
    </Flex>
  )
}

function Fault({ choices }: { choices: readonly ColumnChoice[] }) {
  const { t } = useTranslation()
  const fault = columnFault(choices)
  if (fault === null) return null
  const fields =
    'fields' in fault ? fault.fields.map((each) => t(`bulk.import.target.${each}`)).join(', ') : ''
  return (
    <Alert color="red" m="md">
      {t(`bulk.import.${fault.key}`, { fields })}
    </Alert>
  )
}
