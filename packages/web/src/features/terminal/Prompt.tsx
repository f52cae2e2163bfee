import { terminalLimits } from '@leitstand/contract/terminal'
import { Loader } from '@mantine/core'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { complete } from './complete.ts'
import classes from './terminal.module.css'
import type { Terminal } from './useTerminal.ts'

/** The line to type: Enter runs it, Tab completes it, the arrows go through the history. */
export function Prompt({ terminal }: { terminal: Terminal }) {
  const { t } = useTranslation()
  const [line, setLine] = useState('')
  const [choices, setChoices] = useState<readonly string[]>([])
  /** place in the history; its length: the line that is being typed */
  const [at, setAt] = useState<number>()
  const { history, isRunning } = terminal
  const input = useRef<HTMLInputElement>(null)
  // Nothing else is done here; a touch keyboard would cover half of it.
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) input.current?.focus()
  }, [])
  const type = (typed: string) => {
    setLine(typed)
    setChoices([])
  }
  const recall = (step: -1 | 1) => {
    const next = Math.min(history.length, Math.max(0, (at ?? history.length) + step))
    setAt(next)
    type(history[next] ?? '')
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      event.preventDefault()
      recall(event.key === 'ArrowUp' ? -1 : 1)
    }
    // An empty line lets the focus go on, so that nobody is caught here.
    if (event.key === 'Tab' && !event.shiftKey && line.trim() !== '' && !line.endsWith(' ')) {
      const found = complete(
        line,
        terminal.commands.map(({ name }) => name),
      )
      if (found.line === line && found.choices.length === 0) return
      event.preventDefault()
      setLine(found.line)
      setChoices(found.choices)
    }
  }
  return (
    <form
      className={classes.prompt}
      onSubmit={(event) => {
        event.preventDefault()
        if (line.trim() === '' || isRunning) return
        terminal.run(line.trim())
        setAt(undefined)
        type('')
      }}
    >
      <div role="status" className={classes.choices}>
        {choices.join('  ')}
      </div>
      <label className={classes.typed}>
        <span aria-hidden="true">❯</span>
        <input
          ref={input}
          aria-label={t('terminal.line')}
          aria-describedby="terminal-keys"
          autoCapitalize="none"
          autoComplete="off"
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint="send"
          maxLength={terminalLimits.lineMax}
          placeholder="help"
          value={line}
          onChange={(event) => type(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {isRunning ? <Loader size={16} aria-label={t('terminal.running')} /> : null}
      </label>
      <p id="terminal-keys" className={classes.hint}>
        {t('terminal.keys')}
      </p>
    </form>
  )
}
