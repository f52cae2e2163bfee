import { Button, NumberInput, PasswordInput, Select, Text, Textarea, TextInput } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import classes from './exportSchedules.module.css'
import { notifyFailure } from './queries.ts'
import type { TargetValues } from './values.ts'

export interface FieldProps {
  target: TargetValues
  change: (to: Partial<TargetValues>) => void
  faultAt: (name: string) => string | null
}

type TextName = {
  [K in keyof TargetValues]: TargetValues[K] extends string ? K : never
}[keyof TargetValues]

interface WordsProps extends FieldProps {
  name: TextName
  placeholder?: string
  required?: boolean
}

/** A field of one line. */
export function Words({ name, placeholder = '', required = false, target, change, faultAt }: WordsProps) {
  const { t } = useTranslation()
  return (
    <TextInput
      label={t(`exportSchedules.server.${name}`)}
      placeholder={placeholder}
      required={required}
      autoComplete="off"
      spellCheck={false}
      value={target[name]}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
      error={faultAt(name)}
    />
  )
}

/** A server that takes files. */
export function ServerFields(props: FieldProps) {
  const { t } = useTranslation()
  switch (props.target.kind) {
    case 'sftp':
      return <SftpFields {...props} />
    case 's3':
      return (
        <>
          <Words name="endpoint" placeholder="https://s3.eu-central-1.amazonaws.com" required {...props} />
          <div className={classes.two}>
            <Words name="bucket" required {...props} />
            <Words name="region" required {...props} />
          </div>
          <Words name="folder" placeholder="reports/2026" {...props} />
          <Words name="accessKeyId" required {...props} />
          <SecretField name="secretKey" {...props} />
          <Select
            label={t('exportSchedules.server.addressing')}
            allowDeselect={false}
            data={(['path', 'host'] as const).map((each) => ({
              value: each,
              label: t(`exportSchedules.addressings.${each}`),
            }))}
            value={props.target.addressing}
            onChange={(value) => props.change({ addressing: value as TargetValues['addressing'] })}
          />
        </>
      )
    default:
      return (
        <>
          <Words
            name="url"
            placeholder="https://cloud.example.org/remote.php/dav/files/ada"
            required
            {...props}
          />
          <Words name="folder" placeholder="reports/2026" {...props} />
          <Words name="username" {...props} />
          {props.target.username === '' ? null : <SecretField name="password" {...props} />}
        </>
      )
  }
}

function SftpFields(props: FieldProps) {
  const { t } = useTranslation()
  const { target, change, faultAt } = props
  const { host, port, signIn, fingerprint } = target
  const reading = useMutation({
    mutationFn: () =>
      client.exportSchedules.checkTarget({ what: 'fingerprint', host: host.trim(), port: Number(port) }),
    onSuccess: ({ fingerprint: shown }) => change({ fingerprint: shown ?? '' }),
    onError: notifyFailure,
  })
  return (
    <>
      <div className={classes.two}>
        <Words name="host" placeholder="files.example.org" required {...props} />
        <NumberInput
          label={t('exportSchedules.server.port')}
          min={1}
          max={65_535}
          allowDecimal={false}
          value={port}
          onChange={(value) => change({ port: value })}
          error={faultAt('port')}
        />
      </div>
      <Words name="username" required {...props} />
      <Select
        label={t('exportSchedules.server.signIn')}
        allowDeselect={false}
        data={(['password', 'privateKey'] as const).map((way) => ({
          value: way,
          label: t(`exportSchedules.signIns.${way}`),
        }))}
        value={signIn}
        onChange={(way) => change({ signIn: way as TargetValues['signIn'], secret: '' })}
      />
      <SecretField name={signIn} {...props} />
      <Words name="folder" placeholder="reports/2026" {...props} />
      <div>
        <Words name="fingerprint" placeholder="SHA256:…" required {...props} />
        <Text size="xs" c="dimmed" my={6}>
          {t('exportSchedules.fingerprintHint')}
        </Text>
        <Button
          variant="default"
          size="compact-md"
          leftSection={<Icon of={IconFingerprint} size={14} />}
          disabled={host.trim() === '' || fingerprint !== ''}
          loading={reading.isPending}
          onClick={() => reading.mutate()}
        >
          {t('exportSchedules.readFingerprint')}
        </Button>
      </div>
    </>
  )
}

function SecretField({
  name,
  target,
  change,
  faultAt,
}: FieldProps & { name: 'password' | 'privateKey' | 'secretKey' }) {
  const { t } = useTranslation()
  const field = {
    label: t(`exportSchedules.secrets.${name}`),
    required: !target.hasSecret,
    placeholder: target.hasSecret ? t('exportSchedules.keptSecret') : '',
    autoComplete: 'new-password',
    value: target.secret,
    error: faultAt('secret'),
  }
  return name === 'privateKey' ? (
    <Textarea
      {...field}
      autosize
      minRows={3}
      maxRows={8}
      spellCheck={false}
      onChange={(event) => change({ secret: event.currentTarget.value })}
    />
  ) : (
    <PasswordInput {...field} onChange={(event) => change({ secret: event.currentTarget.value })} />
  )
}
