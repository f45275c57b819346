"""The judges of answers: each holds a text against one kind of question and says sure, unsure or refused."""
