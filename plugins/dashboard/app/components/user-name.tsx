import { Link } from 'wouter-preact';

/** By code point: half of a surrogate pair is no letter. */
const firstLetter = (word = ''): string =>
  word === '' ? '' : String.fromCodePoint(word.codePointAt(0) ?? 0);

const initialsOf = (name: string): string => {
  const words = name.split(/\s+/).filter((word) => word !== '');
  const [first = '', last = ''] = [words[0], words.length > 1 ? words.at(-1) : ''];
  return `${firstLetter(first)}${firstLetter(last)}`.toUpperCase();
};

/** A person: name over e-mail; opens their page. */
export const UserName = ({
  href,
  name,
  detail,
}: {
  readonly href: string;
  readonly name: string;
  readonly detail?: string | null;
}) => (
  <span class="user-name">
    <span class="avatar" aria-hidden="true">
      {initialsOf(name)}
    </span>
    <span class="user-name-text">
      <Link class="row-link" href={href}>
        {name}
      </Link>
      {detail != null && <small>{detail}</small>}
    </span>
  </span>
);
