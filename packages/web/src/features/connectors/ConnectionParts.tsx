import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { CodeBlock } from '../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../ui/display/CopyButton.tsx'
import { Fact } from '../../ui/display/Fact.tsx'
import { Section } from '../../ui/page/Section.tsx'
import classes from './connectors.module.css'
import type { Preset } from './queries.ts'
import type { Sample } from './sending.ts'

const identifier = 'A81758FFFE000001'
const values = { text: '{"temperature":21.5,"humidity":48}', encoding: 'json' as const, fPort: null }
const bytes = { text: '0100e2029f', encoding: 'hex' as const, fPort: 5 }

const payloads: Readonly<Record<Preset, Sample['payload']>> = {
  standard: values,
  template: values,
  'tts-v3': bytes,
  'chirpstack-v4': bytes,
}

/** An example packet for a connector with this preset. */
export function exampleSample(preset: Preset): Sample {
  return { identifier, payload: payloads[preset] }
}

/** A command to try, with notes. */
export function TryCommand(props: { command: string; tool: string; children?: ReactNode }) {
  const { t } = useTranslation()
  return (
    <Section title={t('connectors.connection.try')} description={t('connectors.connection.tryText')}>
      <Stack gap="sm">
        <CodeBlock code={props.command} label={props.tool} />
        {props.children}
      </Stack>
    </Section>
  )
}

/** A value with its copy button. */
export function Copyable({ label, value }: { label: string; value: string }) {
  return (
    <Fact label={label}>
      <span className={classes.kind} style={{ whiteSpace: 'normal' }}>
        <span className={classes.mono}>{value}</span>
        <CopyButton value={value} label={label} />
      </span>
    </Fact>
  )
}

/** Topics, with the user name filled in. */
export function Topics({ label, topics, name }: { label: string; topics: readonly string[]; name: string }) {
  return (
    <Fact label={label}>
      {topics.map((topic) => (
        <div key={topic} className={classes.mono}>
          {topic.replaceAll('{username}', name)}
        </div>
      ))}
    </Fact>
  )
}
