//! One engine for all probes: it opens conversations, asks a protocol's [`Questions`], hands what comes
//! to their reading, measures round trips, and leaves on every way out: done, refused, pending,
//! interrupted, out of time.

use super::session::{Opening, Session};
use super::{Ask, Carrier, Event, Failure, Findings, Method, Outcome, Probe, Request};
use crate::live::NetError;
use crate::message::OwnedMessage;
use serde_json::Value as Json;
use std::time::{Duration, Instant};

/// How long the engine sleeps between two looks at several conversations.
const LOOK: Duration = Duration::from_micros(300);
/// How long a goodbye that an echo returns is waited for.
const RETURN: Duration = Duration::from_millis(250);

/// What a message that was read whole means.
#[derive(Debug)]
pub enum Reading {
    /// It answers the question.
    Answer,
    /// It answers an earlier question again.
    Again,
    /// It tells what the question must say: it is asked again, with these fields.
    AskAgain(Json),
    /// It belongs to the conversation, and answers nothing.
    Session,
    /// It is nothing that a server of the protocol says now.
    Stray,
    /// The server refuses, or ends it.
    Refused(Failure),
}

/// What a message means, or why the probe ends with it.
pub type Read = Result<Reading, Failure>;

/// What is sent for a round trip: a message of the protocol, or of its carrier.
#[derive(Clone, Debug)]
pub struct Question {
    /// The carrier's protocol; `None`: the protocol's own message.
    pub proto: Option<&'static str>,
    /// The message.
    pub message: &'static str,
    /// Its fields.
    pub fields: Json,
}

impl Question {
    /// A message of the protocol.
    pub fn new(message: &'static str, fields: Json) -> Question {
        Question { proto: None, message, fields }
    }
}

/// A row of round trips.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    /// Its name in the output.
    pub method: &'static str,
    /// How many are counted.
    pub count: u32,
    /// How many come before, and are not counted.
    pub warm_up: u32,
    /// At most so many are asked before the first answer; without one none of them is counted. 0: all
    /// are asked and counted, whoever answers.
    pub patience: u32,
    /// How long an answer is waited for.
    pub wait: Duration,
    /// From one question to the next.
    pub pause: Duration,
}

impl Series {
    /// As the user asks for it, each counted.
    pub fn of(ask: &Ask<'_>, method: &'static str) -> Series {
        let (wait, pause) = (ask.answer_wait(), ask.request.interval);
        Series { method, count: ask.request.samples, warm_up: 0, patience: 0, wait, pause }
    }

    /// The same for an application that may answer none of them: left after so many without an answer.
    #[must_use]
    pub fn at_most(self, unanswered: u32) -> Series {
        Series { patience: unanswered.min(self.count + self.warm_up), ..self }
    }
}

/// What came of a series.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trips {
    /// How many were answered, those before the counted ones included.
    pub answered: u32,
    /// The round trip that was not counted.
    pub warm_up: Option<Duration>,
}

/// A protocol's questions to a server in one of its methods, and how the answers are read.
pub trait Questions {
    /// Asks them, in their order. The engine leaves afterwards, whatever came of it.
    ///
    /// # Errors
    /// Why there is no answer, or none that helps.
    fn ask(&mut self, engine: &mut Engine<'_, '_>) -> Result<(), Failure>;

    /// The question for the round trip of that number, from 0.
    fn question(&mut self, number: u32) -> Question;

    /// What a message means; `number`: of the question whose answer is waited for.
    ///
    /// # Errors
    /// It ends the probe, and the message is not the conversation's.
    fn read(&mut self, heard: &OwnedMessage, number: Option<u32>, engine: &mut Engine<'_, '_>) -> Read;

    /// A round trip was measured, or its answer is lost.
    fn sampled(&mut self, _took: Option<Duration>) {}

    /// May a server of the protocol say this very message of ours as its first?
    fn repeats(&self, _heard: &OwnedMessage) -> bool {
        false
    }

    /// What must happen before the goodbyes.
    ///
    /// # Errors
    /// Those of asking, with what leaving has to add.
    fn leave(&mut self, _engine: &mut Engine<'_, '_>, result: Result<(), Failure>) -> Result<(), Failure> {
        result
    }
}

/// The conversations of a probe, and what it has found.
pub struct Engine<'a, 'e> {
    /// What the user wants to know.
    pub ask: &'e Ask<'a>,
    /// What is known of the server.
    pub findings: Findings<'e>,
    /// The conversations, in the order in which they were opened.
    pub sessions: Vec<Session<'a>>,
    /// The one that was opened last, or heard.
    at: usize,
}

/// Asks a server in one way: what was found, and why it went no further.
pub fn run<'a, 'e>(
    probe: &dyn Probe,
    method: &Method,
    ask: &'e Ask<'a>,
    tell: &'e dyn Fn(Event),
) -> (Findings<'e>, Result<(), Failure>) {
    let mut engine = Engine { ask, findings: Findings::new(tell), sessions: Vec::new(), at: 0 };
    let mut questions = probe.questions(method);
    let result = questions.ask(&mut engine);
    let result = questions.leave(&mut engine, result);
    engine.sessions.iter_mut().for_each(Session::leave);
    let pending = result.as_ref().is_err_and(|failure| failure.outcome == Outcome::Pending);
    let result = match pending && engine.sessions.iter_mut().any(|session| session.returns(RETURN)) {
        true => Err(super::verdict::echo(ask)),
        false => result,
    };
    (engine.findings, result)
}

impl<'a> Engine<'a, '_> {
    /// Opens a conversation over `carrier`, whose messages are written in `version`.
    ///
    /// # Errors
    /// Why there is none.
    pub fn open(&mut self, carrier: Carrier, version: Option<&'static str>) -> Result<&mut Session<'a>, Failure> {
        let Request { options, data, .. } = self.ask.request;
        self.open_as(&Opening { carrier, version, options, data: data.as_ref(), stop: &self.ask.stop })
    }

    /// The same with other settings, data, or time.
    ///
    /// # Errors
    /// Why there is none.
    pub fn open_as(&mut self, opening: &Opening<'_>) -> Result<&mut Session<'a>, Failure> {
        self.sessions.push(Session::open(self.ask, opening)?);
        self.at = self.sessions.len() - 1;
        self.session()
    }

    /// The conversation that was opened last, or heard.
    ///
    /// # Errors
    /// That none was opened.
    pub fn session(&mut self) -> Result<&mut Session<'a>, Failure> {
        let none = || Failure::new(Outcome::Failed, "nothing was opened", "this is a fault of netkit");
        self.sessions.get_mut(self.at).ok_or_else(none)
    }

    /// Goes on with the conversation that was heard: nobody is at the other end of the others.
    pub fn keep(&mut self) {
        if self.at < self.sessions.len() {
            self.sessions.swap(0, self.at);
            self.sessions.truncate(1);
            self.at = 0;
        }
    }

    /// Leaves all conversations, for others.
    pub fn part(&mut self) {
        self.sessions.iter_mut().for_each(Session::leave);
        self.sessions.clear();
    }

    /// Asks, and waits so long for the answer: it, and how long it took.
    ///
    /// # Errors
    /// Those of the conversation and the reading.
    pub fn question(
        &mut self,
        questions: &mut dyn Questions,
        number: u32,
        wait: Duration,
    ) -> Result<Option<(OwnedMessage, Duration)>, Failure> {
        let mut question = questions.question(number);
        loop {
            let proto = question.proto.unwrap_or(self.ask.dissector.name());
            let sent = self.session()?.send(proto, question.message, &question.fields)?;
            match self.wait_for(questions, Some(number), sent + wait)? {
                Some((Reading::AskAgain(fields), _)) => question.fields = fields,
                Some((_, heard)) => {
                    let took = heard.since(sent);
                    return Ok(Some((heard, took)));
                }
                None => return Ok(None),
            }
        }
    }

    /// Waits until then for an answer in any of the conversations.
    ///
    /// # Errors
    /// Those of the conversations and the reading.
    pub fn wait(
        &mut self,
        questions: &mut dyn Questions,
        number: Option<u32>,
        until: Instant,
    ) -> Result<Option<OwnedMessage>, Failure> {
        Ok(self.wait_for(questions, number, until)?.map(|(_, heard)| heard))
    }

    fn wait_for(
        &mut self,
        questions: &mut dyn Questions,
        number: Option<u32>,
        until: Instant,
    ) -> Result<Option<(Reading, OwnedMessage)>, Failure> {
        while let Some(heard) = self.next(until)? {
            if let (reading @ (Reading::Answer | Reading::AskAgain(_)), Some(heard)) =
                self.hear(questions, heard, number)?
            {
                return Ok(Some((reading, heard)));
            }
        }
        Ok(None)
    }

    /// Takes what comes until then.
    ///
    /// # Errors
    /// Those of the conversations and the reading.
    pub fn listen(&mut self, questions: &mut dyn Questions, until: Instant) -> Result<(), Failure> {
        while let Some(heard) = self.next(until)? {
            self.hear(questions, heard, None)?;
        }
        Ok(())
    }

    /// What a message means. The protocol's actor answers and remembers those of the conversation.
    fn hear(
        &mut self,
        questions: &mut dyn Questions,
        heard: OwnedMessage,
        number: Option<u32>,
    ) -> Result<(Reading, Option<OwnedMessage>), Failure> {
        if !questions.repeats(&heard) && self.session()?.echoes() {
            return Err(super::verdict::echo(self.ask));
        }
        let reading = match heard.fault {
            None => questions.read(&heard, number, self)?,
            Some(_) => Reading::Stray,
        };
        if let Reading::Stray = reading {
            self.session()?.unexpected.put(heard);
            return Ok((reading, None));
        }
        self.session()?.accept(&heard)?;
        match reading {
            Reading::Refused(failure) => return Err(failure),
            Reading::Again => self.findings.duplicates += 1,
            _ => {}
        }
        Ok((reading, Some(heard)))
    }

    /// The next message of any conversation.
    fn next(&mut self, until: Instant) -> Result<Option<OwnedMessage>, Failure> {
        let mut open = (0..self.sessions.len()).filter(|at| self.sessions.get(*at).is_some_and(|s| !s.gone));
        if let (only, None) = (open.next(), open.next()) {
            self.at = only.unwrap_or(self.at);
            let heard = self.session()?.recv(until);
            return heard.map_err(|failure| self.at_end(failure));
        }
        loop {
            for (at, session) in self.sessions.iter_mut().enumerate().filter(|(_, session)| !session.gone) {
                match session.poll() {
                    Err(failure) if failure.outcome != Outcome::Closed => return Err(failure),
                    Ok(Some(heard)) => {
                        self.at = at;
                        return Ok(Some(heard));
                    }
                    _ => {}
                }
            }
            if let Some(first) = self.sessions.first().filter(|_| self.sessions.iter().all(|session| session.gone)) {
                let failure = Failure::from_net_error(NetError::Closed { reset: false }, first.carrier());
                return Err(self.at_end(failure));
            }
            if Instant::now() >= until {
                return Ok(None);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Measures round trips in the conversation that was opened last, or heard.
    ///
    /// # Errors
    /// Those of the conversation and the reading; interrupted.
    pub fn series(&mut self, questions: &mut dyn Questions, series: &Series) -> Result<Trips, Failure> {
        let (mut trips, mut held, mut sent) = (Trips::default(), 0, Instant::now());
        for number in 0.. {
            let unheard = series.patience > 0 && trips.answered == 0;
            if number >= if unheard { series.patience } else { series.count + series.warm_up } {
                break;
            }
            if number > 0 {
                self.listen(questions, sent + series.pause)?;
                self.ask.stop.check().map_err(|error| Failure::from_net_error(error, Carrier::Udp))?;
            }
            sent = Instant::now();
            let took = self.question(questions, number, series.wait)?.map(|(_, took)| took);
            questions.sampled(took);
            trips.answered += u32::from(took.is_some());
            match took {
                _ if number < series.warm_up => trips.warm_up = took,
                None if unheard => held += 1,
                took => {
                    // They were lost: somebody is there.
                    (0..std::mem::take(&mut held)).for_each(|_| self.findings.sample(series.method, None));
                    self.findings.sample(series.method, took);
                }
            }
        }
        Ok(trips)
    }

    /// What it means that the answer to what was `sent` did not come.
    pub fn silent(&self, sent: &str, advice: &str) -> Failure {
        let heard = self.sessions.iter().find(|session| !session.link.raw().is_empty()).or(self.sessions.first());
        heard.map_or_else(Failure::interrupted, |session| session.verdict(self.ask, sent, advice))
    }

    /// The connection was ended: what was said before tells more, where the server is not known yet.
    fn at_end(&self, failure: Failure) -> Failure {
        let ended = failure.details.get("ended") == Some(&Json::Bool(true));
        if !ended
            || self.findings.found.is_some()
            || self.sessions.iter().all(|s| s.link.raw().iter().all(Vec::is_empty))
        {
            return failure;
        }
        let verdict = self.silent("", "");
        if verdict.outcome == Outcome::Silent { failure } else { verdict }
    }
}
