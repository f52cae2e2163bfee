import { Anchor } from '@mantine/core'
import Markdown, { type Components } from 'react-markdown'

const allowed = [
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'ul',
  'ol',
  'li',
  'strong',
  'em',
  'a',
  'blockquote',
  'hr',
  'br',
]

/** Headings start below level two, whatever the author used. */
const Heading: Components['h1'] = ({ children }) => <h3>{children}</h3>

const components: Components = {
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  a: ({ children, href }) => (
    <Anchor href={href ?? ''} target="_blank" rel="noopener noreferrer" underline="always" inherit>
      {children}
    </Anchor>
  ),
}

/** Terms of use as their author wrote them: Markdown without images, tables and HTML. */
export function TermsText({ text }: { text: string }) {
  return (
    <Markdown allowedElements={allowed} unwrapDisallowed skipHtml components={components}>
      {text}
    </Markdown>
  )
}
