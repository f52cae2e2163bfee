import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { CodeBlock } from '../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../ui/display/CopyButton.tsx'
import { Fact } from '../../ui/display/Fact.tsx'
import { Section } from '../../ui/page/Section.tsx'
import classes from './connectors.module.css'

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
